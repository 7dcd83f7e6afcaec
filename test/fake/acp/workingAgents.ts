import { writeFile } from 'node:fs/promises';
import { basics, type Script } from './scriptedAgent';

const call = { toolCallId: 'c1', status: 'pending' as const };
const done = { sessionUpdate: 'tool_call_update' as const, toolCallId: 'c1', status: 'completed' as const };
const text = (words: string) => ({ type: 'content' as const, content: { type: 'text' as const, text: words } });

/** Runs commands by itself and sends what they print as text, as opencode, qwen and copilot do. */
export const printsText =
  (command: string, description: string, output: string): Script =>
  (app) => {
    basics(app);
    app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
      const rawInput = { command, description };
      const started = { ...call, sessionUpdate: 'tool_call' as const, kind: 'execute' as const, title: description };
      await client.notify('session/update', { sessionId, update: { ...started, rawInput } });
      const half = output.slice(0, output.length / 2);
      const grown = { ...call, sessionUpdate: 'tool_call_update' as const, content: [text(half)] };
      await client.notify('session/update', { sessionId, update: grown });
      await client.notify('session/update', { sessionId, update: { ...done, content: [text(output)] } });
      return { stopReason: 'end_turn' };
    });
  };

/** Writes a file by itself, without the client, and says so, as claude, codex and copilot do. */
export const writesByItself =
  (path: string, oldText: string | null, newText: string): Script =>
  (app) => {
    basics(app);
    app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
      const content = [{ type: 'diff' as const, path, oldText, newText }];
      const started = { ...call, sessionUpdate: 'tool_call' as const, kind: 'edit' as const, title: 'Edit', content };
      await client.notify('session/update', { sessionId, update: { ...started, locations: [{ path }] } });
      await writeFile(path, newText);
      await client.notify('session/update', { sessionId, update: done });
      return { stopReason: 'end_turn' };
    });
  };
