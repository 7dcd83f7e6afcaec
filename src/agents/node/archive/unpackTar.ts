import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { createTarDecoder, type ParsedTarEntry, type TarHeader } from 'modern-tar';
import unbzip2 from 'unbzip2-stream';
import { toArchiveError, type ArchiveEntryType, type ArchiveFolder } from './archiveFolder';

export type TarCompression = 'gzip' | 'bzip2';

/** Unpacks a compressed tar archive. @throws InstallError */
export async function unpackTar(file: string, compression: TarCompression, target: ArchiveFolder): Promise<void> {
  try {
    const decoder = createTarDecoder({ strict: true });
    const entries: ReadableStream<ParsedTarEntry> = ReadableStream.from(decompress(file, compression)).pipeThrough(
      decoder,
    );
    for await (const entry of entries) await unpackEntry(entry, target);
  } catch (error) {
    throw toArchiveError(error);
  }
}

async function* decompress(file: string, compression: TarCompression): AsyncGenerator<Uint8Array, void, undefined> {
  const source = createReadStream(file, { highWaterMark: 256 * 1024 });
  const unpacked = compression === 'gzip' ? source.pipe(createGunzip()) : new Readable().wrap(source.pipe(unbzip2()));
  source.once('error', (error) => unpacked.destroy(error));
  try {
    for await (const chunk of unpacked) if (chunk instanceof Uint8Array) yield chunk;
  } finally {
    source.destroy();
    unpacked.destroy();
  }
}

async function unpackEntry({ header, body }: ParsedTarEntry, target: ArchiveFolder): Promise<void> {
  const type = typeOf(header);
  const parts = target.admit(header.name, type);
  if (type === 'file') {
    await target.addFile(parts, ((header.mode ?? 0) & 0o111) !== 0, body);
    return;
  }
  await target.addFolder(parts);
  await body.cancel();
}

function typeOf({ type = 'file' }: TarHeader): ArchiveEntryType {
  if (type === 'file') return 'file';
  if (type === 'directory') return 'folder';
  return type === 'symlink' || type === 'link' ? 'link' : 'device';
}
