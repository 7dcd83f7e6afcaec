import { openPromise, type Entry, type ZipFile } from 'yauzl';
import { toArchiveError, type ArchiveEntryType, type ArchiveFolder } from './archiveFolder';

/** The bits of a Unix file mode that contain the file type. */
const fileTypeMask = 0o170_000;
const regularFile = 0o100_000;
const folder = 0o040_000;
const symbolicLink = 0o120_000;

/** Unpacks a zip archive. @throws InstallError */
export async function unpackZip(file: string, target: ArchiveFolder): Promise<void> {
  try {
    const zip = await openPromise(file, {
      autoClose: false,
      lazyEntries: true,
      strictFileNames: true,
      validateEntrySizes: true,
    });
    try {
      for await (const entry of zip.eachEntry()) {
        const type = typeOf(entry);
        const parts = target.admit(entry.fileName, type);
        if (type === 'folder') await target.addFolder(parts);
        else await target.addFile(parts, (modeOf(entry) & 0o111) !== 0, readEntry(zip, entry));
      }
    } finally {
      zip.close();
    }
  } catch (error) {
    throw toArchiveError(error);
  }
}

/** Opens the entry only when it is read, so that its errors reach the reader. */
async function* readEntry(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array, void, undefined> {
  const stream = await zip.openReadStreamPromise(entry);
  try {
    for await (const chunk of stream) if (chunk instanceof Uint8Array) yield chunk;
  } finally {
    // An error can occur while it is being closed.
    stream.on('error', () => undefined);
    stream.destroy();
  }
}

function typeOf(entry: Entry): ArchiveEntryType {
  const type = modeOf(entry) & fileTypeMask;
  if (type === symbolicLink) return 'link';
  if (type !== 0 && type !== regularFile && type !== folder) return 'device';
  return entry.fileName.endsWith('/') ? 'folder' : 'file';
}

function modeOf(entry: Entry): number {
  return entry.externalFileAttributes >>> 16;
}
