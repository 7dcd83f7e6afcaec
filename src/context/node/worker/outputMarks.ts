import { outputMark } from '../workers/outputMark';

/** Inserts a mark into the output whenever another provider begins to print. */
export function insertOutputMarks(providerNow: () => number | undefined): void {
  for (const name of ['stdout', 'stderr'] as const) {
    const descriptor = Object.getOwnPropertyDescriptor(process, name);
    const getStream = descriptor?.get?.bind(process);
    if (!descriptor || !getStream) continue;
    let isMarked = false;
    Object.defineProperty(process, name, {
      ...descriptor,
      get() {
        const stream: unknown = getStream();
        if (!isMarked && isWritable(stream)) {
          isMarked = true;
          markStream(stream, providerNow);
        }
        return stream;
      },
    });
  }
}

interface WritableStream {
  write: (this: unknown, chunk: unknown, ...rest: unknown[]) => boolean;
}

function isWritable(value: unknown): value is WritableStream {
  return typeof value === 'object' && value !== null && 'write' in value && typeof value.write === 'function';
}

function markStream(stream: WritableStream, providerNow: () => number | undefined): void {
  const write = stream.write.bind(stream);
  let last: number | undefined;
  stream.write = (chunk, ...rest) => {
    const provider = providerNow() ?? last;
    if (provider !== undefined && provider !== last) write(outputMark(provider));
    last = provider;
    // Removes NUL characters, which are reserved for marks.
    return write(typeof chunk === 'string' ? chunk.replaceAll('\0', '') : withoutZeros(chunk), ...rest);
  };
}

function withoutZeros(chunk: unknown): unknown {
  return chunk instanceof Uint8Array && chunk.includes(0) ? chunk.filter((byte) => byte !== 0) : chunk;
}
