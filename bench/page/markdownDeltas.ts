// The page of the bench `chat.delta`: ours and the naive full render of the same answer, a delta a paint.
// Code is highlighted from the first delta on.
import '../../src/transcript/browser/markdown/code/codeMain';
import createMarkdown from 'markdown-it';
import DOMPurify from 'dompurify';
import { highlightToHtml } from '../../src/transcript/browser/markdown/code/highlight';
import { MarkdownStream } from '../../src/transcript/browser/markdown/markdownStream';

declare global {
  interface Window {
    benchDeltas(way: 'stream' | 'naive', answer: string, from: number): Promise<number[]>;
  }
}

const deltaUnits = 4;
const nothing = (): void => undefined;

/** Milliseconds of script, style and layout of each delta from `from` on; what is before is shown first. */
window.benchDeltas = async (way, answer, from) => {
  const container = document.createElement('div');
  container.className = 'markdown';
  document.body.replaceChildren(container);
  const append = way === 'stream' ? streaming(container) : naive(container);
  append(answer.slice(0, from));
  const times: number[] = [];
  for (let at = from; at < answer.length; at += deltaUnits) {
    await nextTask();
    const startMs = performance.now();
    append(answer.slice(at, at + deltaUnits));
    container.getBoundingClientRect();
    times.push(performance.now() - startMs);
  }
  return times;
};

function streaming(container: HTMLElement): (delta: string) => void {
  const actions = { open: nothing, copy: nothing, insertAtCursor: nothing, applyCode: nothing, openAsNewFile: nothing };
  // No rests: every delta is shown, and counted.
  const stream = new MarkdownStream(container, { actions, slowRenderingMs: Infinity });
  return (delta) => stream.append(delta);
}

function naive(container: HTMLElement): (delta: string) => void {
  const markdown = createMarkdown({
    linkify: true,
    highlight: (code, language) => highlightToHtml(code, language),
  });
  // Bundles of pages have no packages for these.
  markdown.normalizeLink = (href) => href;
  markdown.normalizeLinkText = (address) => address;
  let text = '';
  return (delta) => {
    text += delta;
    container.innerHTML = DOMPurify.sanitize(markdown.render(text));
  };
}

/** The page draws between tasks whenever it is due. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve();
    port2.postMessage(undefined);
  });
}
