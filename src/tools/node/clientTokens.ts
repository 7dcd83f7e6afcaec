import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const idBytes = 8;
const signatureBytes = 16;
const tokenLength = 32;

/** Signed tokens that identify clients. Issued tokens are not stored. */
export class ClientTokens {
  private readonly signingKey = randomBytes(32);

  /** Returns a unique token of 32 URL-safe characters. */
  issueToken(): string {
    const id = randomBytes(idBytes);
    return Buffer.concat([id, this.signId(id)]).toString('base64url');
  }

  /** The client in an `Authorization` header; undefined for an invalid token. */
  clientOf(authorization: string | undefined): string | undefined {
    const token = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];
    if (token?.length !== tokenLength) return undefined;
    const bytes = Buffer.from(token, 'base64url');
    if (bytes.length !== idBytes + signatureBytes) return undefined;
    const id = bytes.subarray(0, idBytes);
    return timingSafeEqual(bytes.subarray(idBytes), this.signId(id)) ? id.toString('base64url') : undefined;
  }

  private signId(id: Buffer): Buffer {
    return createHmac('sha256', this.signingKey).update(id).digest().subarray(0, signatureBytes);
  }
}
