import type { IncomingMessage } from 'node:http';
import { toError } from '../../base/common/errors';

/** A body is longer than its limit, or did not arrive completely. */
export class BodyError extends Error {
  constructor(
    readonly reason: 'tooLarge' | 'incomplete',
    maxBytes: number,
  ) {
    super(
      reason === 'tooLarge' ? `The body is larger than ${maxBytes} bytes.` : 'The body was not received completely.',
    );
  }
}

/**
 * Reads the body of a request of at most `maxBytes`. `hold` is called with the length of each piece, in bytes. What follows an
 * error is read and dropped. @throws BodyError, errors of `hold` and of the stream
 */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  hold: (bytes: number) => void = () => undefined,
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    request.resume();
    throw new BodyError('tooLarge', maxBytes);
  }
  return await new Promise((resolve, reject) => {
    let chunks: Buffer[] | undefined = [];
    let length = 0;
    const fail = (error: unknown): void => {
      chunks = undefined;
      reject(toError(error));
    };
    request.on('data', (chunk: Buffer) => {
      if (!chunks) return;
      length += chunk.length;
      try {
        if (length > maxBytes) throw new BodyError('tooLarge', maxBytes);
        hold(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        fail(error);
      }
    });
    request.once('end', () => resolve(Buffer.concat(chunks ?? [])));
    request.once('error', fail);
    request.once('close', () => fail(new BodyError('incomplete', maxBytes)));
  });
}
