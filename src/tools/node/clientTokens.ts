import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const idBytes = 8;
const signatureBytes = 16;
const tokenLength = 32;

/** Tokens that tell who a client is: an id and its signature. Nothing is kept of those that were given out. */
export class ClientTokens {
  private readonly secret = randomBytes(32);

  /** A token that no other client has: 32 characters that need no escaping. */
  issue(): string {
    const id = randomBytes(idBytes);
    return Buffer.concat([id, this.sign(id)]).toString('base64url');
  }

  /** The client of an `Authorization` header; undefined when the token in it is not one of these. */
  clientOf(authorization: string | undefined): string | undefined {
    const token = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];
    if (token?.length !== tokenLength) return undefined;
    const bytes = Buffer.from(token, 'base64url');
    if (bytes.length !== idBytes + signatureBytes) return undefined;
    const id = bytes.subarray(0, idBytes);
    return timingSafeEqual(bytes.subarray(idBytes), this.sign(id)) ? id.toString('base64url') : undefined;
  }

  private sign(id: Buffer): Buffer {
    return createHmac('sha256', this.secret).update(id).digest().subarray(0, signatureBytes);
  }
}
