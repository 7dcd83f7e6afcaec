import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClientCapabilities } from '@agentclientprotocol/sdk';
import { buildDemoAgent, type DemoAgentFiles } from './demoAgentFile';
import { DemoClient } from './demoClient';

export interface DemoHarness {
  /** A workspace folder, empty at first, for the whole suite. */
  readonly folder: string;
  readonly agentFile: string;
  readonly extendedAgentFile: string;
  start(args?: readonly string[], capabilities?: ClientCapabilities): Promise<DemoClient>;
  startExtended(args: readonly string[]): Promise<DemoClient>;
  startSession(args?: readonly string[], capabilities?: ClientCapabilities): Promise<[client: DemoClient, id: string]>;
}

/** Builds the demo agent for the suite it is called in, and ends after each test what was started in it. */
export function useDemoAgent(): DemoHarness {
  let folder = '';
  let agent: DemoAgentFiles | undefined;
  const running: DemoClient[] = [];

  before(async () => {
    agent = await buildDemoAgent();
    folder = await realpath(await mkdtemp(join(tmpdir(), 'backline-ws-')));
  });

  after(async () => {
    await agent?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((client) => client.stop()));
  });

  async function startFile(
    file: string,
    options: { readonly args: readonly string[]; readonly capabilities?: ClientCapabilities },
  ): Promise<DemoClient> {
    const client = await DemoClient.start({ file, cwd: folder, ...options });
    running.push(client);
    return client;
  }

  const harness: DemoHarness = {
    get folder() {
      return folder;
    },
    get agentFile() {
      return agent?.file ?? '';
    },
    get extendedAgentFile() {
      return agent?.extendedFile ?? '';
    },
    start: (args = [], capabilities) =>
      startFile(harness.agentFile, { args, ...(capabilities ? { capabilities } : {}) }),
    startExtended: (args) => startFile(harness.extendedAgentFile, { args }),
    async startSession(args, capabilities) {
      const client = await harness.start(args, capabilities);
      return [client, await client.newSession()];
    },
  };
  return harness;
}

/** For `assert.rejects`: an error with this JSON-RPC code. */
export function codeIs(code: number): (error: unknown) => boolean {
  return (error) => error instanceof Error && 'code' in error && error.code === code;
}
