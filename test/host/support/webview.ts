import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import * as z from 'zod';
import { eventually } from '../../support/eventually';

/** Does as the test says, and tells it all that it hears. */
export const obedientPage = `
const api = acquireVsCodeApi();
addEventListener('message', ({ data }) => {
  if (data.ask) api.postMessage(data.ask);
  else api.postMessage({ heard: data });
});
api.postMessage({ heard: { loaded: true } });
`;

const Heard = z.object({ heard: z.record(z.string(), z.unknown()) });
const Answer = z.object({
  id: z.number(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ message: z.string() }).optional(),
});

/** The messages of a page: what their names begin with, and how an update is read. */
interface PageProtocol<Update> {
  readonly prefix: string;
  readonly parse: (params: unknown) => Update;
}

/** A real webview with a page that does as the test says. */
export class WebviewUnderTest<Update extends object> {
  readonly panel: vscode.WebviewPanel;
  readonly updates: Update[] = [];
  /** Whether it says that it has shown each update, as pages do. */
  confirmsShown = true;
  readonly told: { method: string; params: unknown }[] = [];
  /** How often it was loaded. */
  loads = 0;
  badge: vscode.ViewBadge | undefined;
  private lastId = 0;
  private readonly answers = new Map<number, z.infer<typeof Answer>>();

  /** In a column of its own the page stays visible, and the focus where it is. */
  constructor(
    private readonly protocol: PageProtocol<Update>,
    column?: vscode.ViewColumn,
  ) {
    const place = { viewColumn: column ?? vscode.ViewColumn.Active, preserveFocus: column !== undefined };
    this.panel = vscode.window.createWebviewPanel('backline.test', 'Test', place);
    this.panel.webview.onDidReceiveMessage((message: unknown) => {
      const heard = Heard.safeParse(message).data?.heard;
      if (heard) this.hear(heard);
    });
  }

  get asView(): vscode.WebviewView {
    const { panel } = this;
    const setBadge = (badge: vscode.ViewBadge | undefined): void => {
      this.badge = badge;
    };
    return {
      viewType: 'backline.chat',
      webview: panel.webview,
      get visible() {
        return panel.visible;
      },
      onDidChangeVisibility: (listener) => panel.onDidChangeViewState(() => void listener(undefined)),
      onDidDispose: panel.onDidDispose,
      show: () => panel.reveal(),
      set badge(badge: vscode.ViewBadge | undefined) {
        setBadge(badge);
      },
    };
  }

  /** The page is there, and has been told everything. */
  async come(): Promise<void> {
    await eventually('the page', () => assert.ok(this.loads > 0));
    await this.ask('ready');
    await eventually('the first update', () => assert.ok(this.updates.length > 0));
  }

  /** The answer to a request of the page. Rejects with the message that the user reads. */
  async ask(name: string, params: object = {}): Promise<Record<string, unknown>> {
    const id = await this.post(name, params);
    const answer = await eventually(`an answer to ${name}`, () => {
      const found = this.answers.get(id);
      assert.ok(found);
      return found;
    });
    if (answer.error) throw new Error(answer.error.message);
    return answer.result ?? {};
  }

  /** What the page knows of a part now. */
  latest<Part extends keyof Update>(part: Part): Update[Part] | undefined {
    return this.updates.findLast((update) => update[part] !== undefined)?.[part];
  }

  private async post(name: string, params: object): Promise<number> {
    const id = ++this.lastId;
    await this.panel.webview.postMessage({ ask: { id, method: `${this.protocol.prefix}/${name}`, params } });
    return id;
  }

  private hear(message: Record<string, unknown>): void {
    if (message['loaded'] === true) {
      this.loads++;
      return;
    }
    const answer = Answer.safeParse(message).data;
    if (answer) {
      this.answers.set(answer.id, answer);
      return;
    }
    const { method, params } = z.object({ method: z.string(), params: z.unknown() }).parse(message);
    if (method === `${this.protocol.prefix}/didUpdate`) {
      this.updates.push(this.protocol.parse(params));
      if (this.confirmsShown) void this.post('shown', {});
    } else this.told.push({ method, params });
  }
}
