import assert from 'node:assert/strict';
import type { ConversationRow } from '../../../src/chat/common/chatView';
import { PlaceActions } from '../../../src/chat/vscode/placeActions';

describe('opening a conversation of another folder', () => {
  const rowOf = (id: string, elsewhere?: ConversationRow['elsewhere']): ConversationRow => ({
    id,
    title: `Title of ${id}`,
    backendId: 'acp:one',
    backendTitle: 'One',
    updatedAt: 1,
    state: 'idle',
    ...(elsewhere && { elsewhere }),
  });

  /** What is asked, and what happens when the user gives an answer; undefined closes the dialog. */
  function actionsOf(row: ConversationRow, answer?: string, located?: string) {
    const asked: string[] = [];
    const happened: string[] = [];
    const rows = [row];
    const actions = new PlaceActions({
      chats: {
        rows,
        openChats: [],
        showInItsWindow: (id) => Promise.resolve(void happened.push(`shows ${id} there`)),
        locateFolder: (from, to) => {
          happened.push(`located ${from} at ${to}`);
          rows[0] = rowOf(row.id);
          return Promise.resolve(() => Promise.resolve());
        },
      },
      dialogs: {
        confirm: () => Promise.resolve(false),
        choose: ({ actions: choices, message }) => {
          asked.push(message, ...choices);
          return Promise.resolve(answer);
        },
        chooseFolder: () => Promise.resolve(located),
        chooseFile: () => Promise.resolve(undefined),
      },
      messages: { info: (message) => happened.push(message), error: (message) => happened.push(message) },
      openWorkspace: ({ folder, workspaceFile = folder }) =>
        Promise.resolve(void happened.push(`opened ${workspaceFile}`)),
      closeChat: () => undefined,
      newDraft: { restoreWithdrawn: () => undefined },
      takeMovedDrafts: () => Promise.resolve(),
    });
    return { actions, asked, happened };
  }

  async function opened(row: ConversationRow, answer?: string, located?: string) {
    const { actions, asked, happened } = actionsOf(row, answer, located);
    return { isOpenedHere: await actions.confirmOpenHere(row.id), asked, happened };
  }

  it('asks nothing if it belongs to this window', async () => {
    assert.deepEqual(await opened(rowOf('one')), { isOpenedHere: true, asked: [], happened: [] });
  });

  it('asks nothing to follow one that another window runs, but once before it continues here', async () => {
    const running = { ...other, isInOtherWindow: true };
    assert.deepEqual(await opened(running), { isOpenedHere: true, asked: [], happened: [] });
    const { actions, asked } = actionsOf(other, 'Continue Here');
    assert.equal(await actions.confirmContinueHere('one'), true);
    assert.equal(await actions.confirmContinueHere('one'), true);
    assert.equal(asked.length, 3);
  });

  it('leads to the window that runs it', async () => {
    const { actions, happened } = actionsOf({ ...other, isInOtherWindow: true });
    await actions.goToWindow('one');
    assert.deepEqual(happened, ['shows one there', 'opened /other']);
    const ofWorkspace = { folder: '/other', workspaceFile: '/all.code-workspace', isGone: false };
    const saved = actionsOf({ ...rowOf('one', ofWorkspace), isInOtherWindow: true });
    await saved.actions.goToWindow('one');
    await saved.actions.openInNewWindow('one');
    assert.deepEqual(saved.happened, ['shows one there', 'opened /all.code-workspace', 'opened /all.code-workspace']);
  });

  const other = rowOf('one', { folder: '/other', isGone: false });
  const gone = rowOf('one', { folder: '/gone', isGone: true });

  it('opens its folder in another window, or continues here, or does nothing', async () => {
    const asked = ['“Title of one” worked in /other.', 'Open Folder', 'Continue Here'];
    assert.deepEqual(await opened(other, 'Open Folder'), { isOpenedHere: false, asked, happened: ['opened /other'] });
    assert.deepEqual(await opened(other, 'Continue Here'), { isOpenedHere: true, asked, happened: [] });
    assert.deepEqual(await opened(other), { isOpenedHere: false, asked, happened: [] });
  });

  it('finds a folder that is gone, and opens the conversation here if it belongs to this window then', async () => {
    const asked = ['“Title of one” worked in /gone, which no longer exists.', 'Locate Folder…', 'Continue Here'];
    assert.deepEqual(await opened(gone, 'Locate Folder…', '/found'), {
      isOpenedHere: true,
      asked,
      happened: ['located /gone at /found', 'The conversations of /gone now belong to /found.'],
    });
    assert.deepEqual(await opened(gone, 'Locate Folder…'), { isOpenedHere: false, asked, happened: [] });
  });
});
