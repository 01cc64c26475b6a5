import { useQuery } from '@tanstack/react-query';
import { operationQuery, useCall } from '../../app/queries.tsx';
import { Dialog } from '../../ui/dialog.tsx';

export default function LikesDialog({ postId, onClose }: { postId: string; onClose(): void }) {
  const list = useQuery({ ...operationQuery(useCall(), 'listLikes', { postId }), staleTime: 0 });
  const { likes = [], total = 0 } = list.data ?? {};
  return (
    <Dialog title="Liked by" isOpen onClose={onClose}>
      <div>
        {list.isPending && <p role="status">Loading...</p>}
        {list.isError && <p role="alert">Failed to load the likes. {list.error.message}</p>}
        {list.isSuccess && total === 0 && <p>No likes yet</p>}
        <ul>
          {likes.map((like, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: nothing else tells two unknown users apart
            <li key={index}>{like.username ?? 'Unknown User'}</li>
          ))}
        </ul>
        {total > likes.length && list.isSuccess && <p>and {total - likes.length} more</p>}
      </div>
      <div className="acts">
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
