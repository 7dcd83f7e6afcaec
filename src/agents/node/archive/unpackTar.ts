import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { createTarDecoder, type ParsedTarEntry, type TarHeader } from 'modern-tar';
import unbzip2 from 'unbzip2-stream';
import { archiveBombError, toArchiveError, type ArchiveEntryType, type ArchiveFolder } from './archiveFolder';

type TarCompression = 'gzip' | 'bzip2';

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

/** Maximum unpacked size of one piece of input. A decoder unpacks a whole piece before it can be stopped. */
const maxBurstBytes = 32 * 1024 * 1024;

async function* decompress(file: string, compression: TarCompression): AsyncGenerator<Uint8Array, void, undefined> {
  const source = createReadStream(file, { highWaterMark: 64 * 1024 });
  try {
    yield* compression === 'gzip' ? gunzip(source) : bunzip(source);
  } finally {
    source.destroy();
  }
}

async function* gunzip(source: Readable): AsyncGenerator<Uint8Array, void, undefined> {
  const decoder = source.pipe(createGunzip());
  source.once('error', (error) => decoder.destroy(error));
  for await (const chunk of decoder) if (chunk instanceof Uint8Array) yield chunk;
}

/** The decoder is an old-style stream: it emits all of its output while it is being written to. */
async function* bunzip(source: Readable): AsyncGenerator<Uint8Array, void, undefined> {
  const decoder = unbzip2();
  const burst = { chunks: new Array<Uint8Array>(), bytes: 0 };
  const failures: unknown[] = [];
  decoder.on('error', (error) => failures.push(error));
  decoder.on('data', (chunk: Uint8Array) => {
    burst.bytes += chunk.length;
    // Ends the decoder, which reports it as its error.
    if (burst.bytes > maxBurstBytes) throw archiveBombError();
    burst.chunks.push(chunk);
  });
  const take = (): readonly Uint8Array[] => {
    if (failures.length > 0) throw failures[0];
    burst.bytes = 0;
    return burst.chunks.splice(0);
  };
  for await (const piece of source) {
    decoder.write(piece);
    yield* take();
  }
  decoder.end();
  yield* take();
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
