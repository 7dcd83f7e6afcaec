import { readFile, writeFile } from 'node:fs/promises';
import type { AgentContext, ClientCapabilities } from '@agentclientprotocol/sdk';
import { realPathInside } from '../diskFiles';
import type { DemoSession } from './sessions';

/** Accesses files through the client, which knows unsaved text, or else on disk within the session's folders. */
export class ClientFiles {
  constructor(
    private readonly client: AgentContext,
    private readonly session: DemoSession,
    private readonly capabilities: ClientCapabilities['fs'],
  ) {}

  /** Reads a file. @throws Error with a message for the user */
  async read(path: string): Promise<string> {
    if (this.capabilities?.readTextFile !== true) return await readFile(await this.realPathOf(path), 'utf8');
    return (await this.client.request('fs/read_text_file', { sessionId: this.session.id, path })).content;
  }

  /** Writes a file. @throws Error with a message for the user */
  async write(path: string, content: string): Promise<void> {
    if (this.capabilities?.writeTextFile !== true) await writeFile(await this.realPathOf(path), content);
    else await this.client.request('fs/write_text_file', { sessionId: this.session.id, path, content });
  }

  private async realPathOf(path: string): Promise<string> {
    return await realPathInside([this.session.cwd, ...this.session.additionalDirectories], path);
  }
}
