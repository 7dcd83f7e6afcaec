// A page that is nothing but a transcript. `data-actions="few"` leaves out what a transcript that is only read has not;
// `data-folders` are the workspace's, with spaces between them.
import { render } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { FindBar } from '../../../src/transcript/browser/find/findBar';
import type { TranscriptActions, TranscriptOptions } from '../../../src/transcript/browser/transcriptActions';
import { TranscriptList, type TranscriptHandle } from '../../../src/transcript/browser/list/transcriptList';
import { TranscriptModel } from '../../../src/transcript/browser/list/transcriptModel';
import { HostConnection } from '../../../src/webview/browser/hostConnection';
import { HostTimeContext } from '../../../src/webview/browser/hostTime';
import { ask, did, didPatch, load, showAll } from './transcriptPageApi';

const connection = new HostConnection(window.acquireVsCodeApi());
connection.start(window);
const model = new TranscriptModel();
connection.setNotificationListener(didPatch, (patch) => model.apply(patch));

const askHost = connection.createRequester(() => undefined);

const tell =
  (action: string) =>
  (...args: unknown[]): void =>
    void connection.request(did, { action, args });

const fewActions: TranscriptActions = {
  open: tell('open'),
  copy: tell('copy'),
  loadFullEntry: async (id) => (await connection.request(showAll, { id })).entry,
  load: (request) => askHost(load, request),
};
const allActions: TranscriptActions = {
  ...fewActions,
  openDiff: tell('openDiff'),
  insertAtCursor: tell('insertAtCursor'),
  applyCode: tell('applyCode'),
  openAsNewFile: tell('openAsNewFile'),
  stopCall: async (id) => {
    await connection.request(did, { action: 'stopCall', args: [id] }).catch(() => undefined);
  },
  editPrompt: tell('editPrompt'),
  restore: tell('restore'),
  undoRestore: tell('undoRestore'),
  openChange: tell('openChange'),
  reviewChanges: tell('reviewChanges'),
  revert: tell('revert'),
};
const findNothing = () => Promise.resolve([]);
const { actions, times, folders } = document.body.dataset;
const options: TranscriptOptions = {
  label: 'Conversation',
  timeFormat: times === 'relative' ? 'relative' : 'absolute',
  isLive: true,
  ...(folders !== undefined && { folders: folders.split(' ') }),
};

function Page() {
  const handle = useRef<TranscriptHandle | null>(null);
  const [isFinding, setFinding] = useState(false);
  connection.setNotificationListener(ask, ({ what, id = '' }) => {
    if (what === 'find') setFinding(true);
    else if (what === 'latest') handle.current?.scrollToLatest();
    else handle.current?.scrollToEntry(id);
  });
  return (
    <main class="page">
      <TranscriptList
        model={model}
        actions={actions === 'few' ? fewActions : allActions}
        options={options}
        handle={handle}
      />
      {isFinding && <FindBar model={model} actions={fewActions} find={findNothing} onClose={() => setFinding(false)} />}
    </main>
  );
}

const root = document.getElementById('root');
if (root) {
  render(
    <HostTimeContext.Provider value={connection.hostTime}>
      <Page />
    </HostTimeContext.Provider>,
    root,
  );
}
