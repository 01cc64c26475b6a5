import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What exiftool says of a file, by group and name: `EXIF:SerialNumber`. */
export type Tags = Readonly<Record<string, unknown>>;

/** Everything that exiftool finds in these files or folders, by the path of each file. */
export async function tagsIn(paths: readonly string[]): Promise<Map<string, Tags>> {
  if (paths.length === 0) return new Map();
  const options = ['-ee', '-a', '-G1:3', '-s', '-json', '-api', 'LargeFileSupport=1', '-r', '-q', '-q'];
  // It ends with 1 where it could not read one of them, and says so among its tags.
  const { stdout } = await run('exiftool', [...options, ...paths], { maxBuffer: 2 ** 28 }).catch(
    (error: { stdout: string }) => error,
  );
  const found = JSON.parse(stdout || '[]') as (Tags & { SourceFile: string })[];
  return new Map(found.map(({ SourceFile, ...tags }) => [SourceFile, tags]));
}

/** What tells of a place, a person, a device, a time, or shows another picture. */
const told =
  /GPS|Latitude|Longitude|Location|City|Country|Province|Serial|UniqueID|Owner|Artist|Author|Creator|Copyright|Rights|^Make$|^Model$|^CameraModel|Lens|Software|Host|Comment|Description|Title|Keyword|Subject|Caption|^Date|Date$|DateTime|TimeStamp|Thumbnail|Preview|JpgFromRaw|OtherImage|MakerNote|History|DocumentID|InstanceID|Region|Person|Face|Trailer|EmbeddedVideo|MotionPhoto/i;

/** Those of the tags that nobody has wanted to publish with a picture. */
export function privateTags(tags: Tags): [name: string, value: string][] {
  return Object.entries(tags).flatMap(([key, value]): [string, string][] => {
    const parts = key.split(':');
    const name = parts.at(-1) ?? '';
    // What the system knows of the file, what exiftool computes, and whose the colours are.
    const isOther = parts.some(part => /^(?:System|ExifTool|ICC[\w-]*|Composite)$/.test(part));
    const isEmpty = /^(?:0000:00:00 00:00:00)?$/.test(String(value).trim());
    return isOther || isEmpty || !told.test(name) ? [] : [[name, String(value)]];
  });
}

/** The words of private tags that are long enough to be searched for among bytes. */
export function privateWords(tags: Tags): string[] {
  return privateTags(tags)
    .map(([, value]) => value)
    .filter(value => /^[\x21-\x7e][\x20-\x7e]{7,199}$/.test(value) && !/^\(Binary data|Handler$/.test(value));
}

/** What ffprobe says of a video or sound that tells of a place, a device or a time. */
export async function probedTags(path: string): Promise<string[]> {
  const options = ['-v', 'quiet', '-of', 'json', '-show_format', '-show_streams', '-show_chapters', path];
  const { stdout } = await run('ffprobe', options).catch((error: { stdout: string }) => error);
  const { format, streams = [], chapters = [] } = JSON.parse(stdout || '{}') as Probed;
  const tags = [format, ...streams, ...chapters].flatMap(part => Object.entries(part?.tags ?? {}));
  return tags
    .filter(
      ([name]) =>
        !/^(?:major_brand|minor_version|compatible_brands|encoder|language|handler_name|vendor_id|duration)$/i.test(
          name,
        ),
    )
    .map(([name, value]) => `${name}: ${value}`);
}

type Part = { tags?: Record<string, string> };
type Probed = { format?: Part; streams?: Part[]; chapters?: Part[] };
