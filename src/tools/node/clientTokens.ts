import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { bearerToken } from '../../wire/node/localRequest';

const idBytes = 8;
const signatureBytes = 16;
const tokenLength = 32;

/** Signed tokens that identify clients. Issued tokens are not stored. */
export class ClientTokens {
  private readonly signingKey = randomBytes(32);
  private readonly revokedClients = new Set<string>();

  /** Returns a unique token of 32 URL-safe characters. */
  issueToken(): string {
    const id = randomBytes(idBytes);
    return Buffer.concat([id, this.signId(id)]).toString('base64url');
  }

  /** The client in an `Authorization` header; undefined for an invalid token. */
  clientOf(authorization: string | undefined): string | undefined {
    const token = bearerToken(authorization);
    if (token?.length !== tokenLength) return undefined;
    const bytes = Buffer.from(token, 'base64url');
    if (bytes.length !== idBytes + signatureBytes) return undefined;
    const id = bytes.subarray(0, idBytes);
    const client = id.toString('base64url');
    if (!timingSafeEqual(bytes.subarray(idBytes), this.signId(id)) || this.revokedClients.has(client)) return undefined;
    return client;
  }

  /** Makes the token in an `Authorization` header invalid. */
  revoke(authorization: string): void {
    const client = this.clientOf(authorization);
    if (client !== undefined) this.revokedClients.add(client);
  }

  private signId(id: Buffer): Buffer {
    return createHmac('sha256', this.signingKey).update(id).digest().subarray(0, signatureBytes);
  }
}
