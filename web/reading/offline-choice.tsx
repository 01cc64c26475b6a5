import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useViewer } from '../app/site.tsx';
import { useToast } from '../app/toasts.tsx';
import { forgetPosts, keepPosts } from '../storage/offline.ts';
import { worksFor } from '../storage/workers.ts';
import { Choice } from '../ui/choice.tsx';
import { Notice } from '../ui/notice.tsx';

const label = 'Keep posts that I open in this browser, to read them offline';

/** Turns reading offline on and off, for this browser. Browsers can keep posts only over HTTPS. */
export function OfflineChoice({ isLong }: { isLong: boolean }) {
  const { user } = useViewer();
  const userId = user?.isApproved ? user.id : undefined;
  const [isOn, setOn] = useState<boolean>();
  const toast = useToast();
  useEffect(() => {
    if (userId === undefined || !('serviceWorker' in navigator)) return;
    worksFor('offline', userId).then(setOn, () => {});
  }, [userId]);
  const change = useMutation({
    mutationFn: async (wanted: boolean) => {
      if (userId !== undefined) await (wanted ? keepPosts(userId) : forgetPosts());
      setOn(wanted);
    },
    onSuccess: () => toast({ text: 'Saved.' }),
  });
  if (isOn === undefined) return null;
  if (!isLong && !isOn)
    return <p className="hint">To read posts offline in this browser, log in with “Keep me logged in”.</p>;
  return (
    <>
      {change.isError && <Notice text="This browser does not let the site keep posts." />}
      <Choice
        label={label}
        hint="The last 100 posts, with their pictures. They are deleted when you log out or lose access, as soon as this browser reaches the site. Leave it off on a device that others use."
        isOn={isOn}
        onChange={wanted => change.mutate(wanted)}
      />
    </>
  );
}
