import { RpcError, rpcErrorCode } from '../../../wire/common/connectionErrors';
import type { Turn } from '../answer/turn';

/** Fails in the requested way, so that clients can be tested. @throws RpcError for `error` */
export async function failOnPurpose(turn: Turn, mode: string): Promise<void> {
  switch (mode) {
    case 'error':
      throw new RpcError(rpcErrorCode.internalError, 'The demo agent failed because you asked it to.');
    case 'crash':
      await turn.say('Goodbye.\n');
      await writeToStderr('The demo agent crashed because you asked it to.\n');
      return process.exit(1);
    case 'hang':
      // Ignores the signal intentionally, to test the client's time-out.
      return await new Promise<never>(() => undefined);
    default:
      await turn.say('Choose `/fail error`, `/fail crash` or `/fail hang` (lasts until you restart me).\n');
  }
}

function writeToStderr(text: string): Promise<void> {
  return new Promise((resolve) => process.stderr.write(text, () => resolve()));
}
