// The page of the chat as far as its transcript goes: the snapshot comes as it does from the host, older entries when asked
// for. `chatOpen.bench.ts` plays the host. With `data-peer` all messages are rendered at once, as plainly as can be.
import { render } from 'preact';
import { renderMarkdown } from '../../src/transcript/browser/markdown/renderMarkdown';
import type { TranscriptActions } from '../../src/transcript/browser/transcriptActions';
import { TranscriptList } from '../../src/transcript/browser/list/transcriptList';
import { TranscriptModel } from '../../src/transcript/browser/list/transcriptModel';
import { HostConnection } from '../../src/webview/browser/hostConnection';
import { didPatch, load, open } from '../lib/chatOpenApi';
import type { TranscriptPatch } from '../../src/transcript/common/patch';

const connection = new HostConnection(window.acquireVsCodeApi());
connection.start(window);
const model = new TranscriptModel();
connection.setNotificationListener(didPatch, (patch) => model.apply(patch));
const nothing = (): void => undefined;
const actions: TranscriptActions = {
  open: nothing,
  copy: nothing,
  insertAtCursor: nothing,
  applyCode: nothing,
  openAsNewFile: nothing,
  loadFullEntry: () => Promise.reject(new Error('Nothing is cut.')),
  load: (request) => connection.request(load, request),
};

async function main(root: HTMLElement): Promise<void> {
  const { patch } = await connection.request(open, {});
  const startMs = performance.now();
  if (document.body.dataset['peer'] === undefined) {
    render(
      <div class="page">
        <TranscriptList model={model} actions={actions} />
      </div>,
      root,
    );
    model.apply(patch);
  } else renderPlain(root, patch);
  // Two frames: the first draws, the second begins when it is drawn.
  requestAnimationFrame(() => {
    countRawInSight();
    requestAnimationFrame(() => {
      document.body.dataset['openMs'] = String(performance.now() - startMs);
    });
  });
}

/** How many answers are seen before they are formatted, in the frame that is being made. */
function countRawInSight(): void {
  const observer = new IntersectionObserver((seen) => {
    document.body.dataset['rawCount'] = String(seen.filter(({ isIntersecting }) => isIntersecting).length);
    observer.disconnect();
  });
  for (const element of document.querySelectorAll('.is-far')) observer.observe(element);
}

function renderPlain(root: HTMLElement, { put = [] }: TranscriptPatch): void {
  const list = document.createElement('div');
  list.className = 'plain';
  for (const entry of put) {
    const element = document.createElement('div');
    element.className = 'markdown';
    if (entry.kind === 'prompt') element.textContent = entry.text;
    else if (entry.kind === 'answer') renderMarkdown(element, entry.text, { actions });
    list.append(element);
  }
  root.append(list);
  list.scrollTop = list.scrollHeight;
}

const root = document.getElementById('root');
if (root) void main(root);
