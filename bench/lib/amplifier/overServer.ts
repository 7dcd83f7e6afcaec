import * as z from 'zod';
import type { TurnRunner } from './amplifierSubjects';
import { BenchChild } from '../child';

const Started = z.object({ port: z.number() });

/** A runner over an Amplifier server of its own, which is this same bundle in the role `server`. `end` stops both. */
export async function overServer(
  open: (url: URL) => Promise<TurnRunner>,
): Promise<{ readonly runner: TurnRunner; end(): Promise<void> }> {
  const server = new BenchChild('server');
  const { port } = Started.parse(await server.next());
  const runner = await open(new URL(`http://127.0.0.1:${port}`));
  const end = async (): Promise<void> => {
    runner.dispose();
    await server.stop();
  };
  return { runner, end };
}
