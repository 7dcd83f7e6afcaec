import type { AgentContext, ClientCapabilities } from '@agentclientprotocol/sdk';
import { readTextInside, writeTextInside } from '../diskFiles';
import type { DemoSession } from '../session/sessions';

/** Accesses files through the client, which includes unsaved text, or on disk within the session's folders. */
export class ClientFiles {
  constructor(
    private readonly client: AgentContext,
    private readonly session: DemoSession,
    private readonly capabilities: ClientCapabilities['fs'],
  ) {}

  /** Reads a file. @throws Error with a message for the user */
  async read(path: string): Promise<string> {
    if (this.capabilities?.readTextFile !== true) return await readTextInside(this.folders, path);
    return (await this.client.request('fs/read_text_file', { sessionId: this.session.id, path })).content;
  }

  /** Writes a file. @throws Error with a message for the user */
  async write(path: string, content: string): Promise<void> {
    if (this.capabilities?.writeTextFile !== true) await writeTextInside(this.folders, path, content);
    else await this.client.request('fs/write_text_file', { sessionId: this.session.id, path, content });
  }

  private get folders(): readonly string[] {
    return [this.session.cwd, ...this.session.additionalDirectories];
  }
}
