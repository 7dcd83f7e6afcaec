import assert from 'node:assert/strict';
import { AsideCleanup } from '../../../../src/chat/common/asides/asideCleanup';
import type { Chat } from '../../../../src/chat/common/chatPorts';
import { nullLogger } from '../../../../src/base/common/log';
import { FakeClock } from '../../../fake/fakeClock';
import { until } from '../../../support/eventually';
import { draft, settled, Window } from '../support/window';

const weekMs = 8 * 24 * 60 * 60 * 1000;

describe('Side questions that the user has not kept', () => {
  let window: Window;
  let clock: FakeClock;
  let pages: { wantedId: string | undefined }[];
  let mayShowMore: boolean;
  let about: Chat;
  const cleanups: AsideCleanup[] = [];
  beforeEach(async () => {
    window = await Window.open();
    clock = new FakeClock();
    clock.advance(Date.now() - clock.now());
    pages = [];
    mayShowMore = false;
    deleted.splice(0);
    about = await window.chats.create('one', undefined);
    await about.send(draft('first'));
    window.agent.last.end('Done.');
    await until('the end', () => about.view.isBusy === false);
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) cleanup.dispose();
    await window.remove();
  });

  const ask = async (): Promise<string> => (await window.chats.fork(about.id, undefined, 'aside')).id;
  const left = ({ chats } = window): string[] => chats.openAsides.map(({ id }) => id);
  const rows = (): Set<string> => new Set(window.chats.rows.map(({ id }) => id));
  /** Ids in the order in which their deletion has begun. */
  const deleted: string[] = [];
  function cleanupOf({ chats: all } = window): AsideCleanup {
    const chats = {
      get openAsides() {
        return all.openAsides;
      },
      setMarks: all.setMarks,
      delete: (id: string) => {
        deleted.push(id);
        return all.delete(id);
      },
    };
    const cleanup = new AsideCleanup({
      ...{ chats, clock, log: nullLogger, pages: () => pages, mayShowMore: () => mayShowMore },
    });
    cleanups.push(cleanup);
    cleanup.start();
    return cleanup;
  }
  /** What is done long after the start. */
  async function later(): Promise<void> {
    clock.advance(60_000);
    for (let turn = 0; turn < 5; turn++) await settled();
  }

  it('are deleted when the last page that shows them is closed, and others are not', async () => {
    const [first, second] = [await ask(), await ask()];
    const cleanup = cleanupOf();
    const [one, two, three] = [about.id, first, second].map((wantedId) => ({ wantedId }));
    assert.ok(one && two && three);
    pages = [one, two, three, { wantedId: first }];
    cleanup.update();
    pages = [one, two, three];
    cleanup.update();
    await later();
    assert.deepEqual(deleted, [], 'another page shows it');
    pages = [three];
    cleanup.update();
    await until('the deletion', () => left().length === 1);
    assert.deepEqual([left(), deleted], [[second], [first]]);
    await window.chats.setMarks(second, { keptAside: { about: 'first' } });
    pages = [];
    cleanup.update();
    await later();
    assert.deepEqual(rows(), new Set([about.id, second]));
  });

  it('are kept when their page shows another conversation, or none because they could not be opened', async () => {
    const [first, second] = [await ask(), await ask()];
    const cleanup = cleanupOf();
    pages = [{ wantedId: first }, { wantedId: second }];
    cleanup.update();
    for (const [index, wantedId] of [about.id, undefined].entries()) {
      const page = pages[index];
      assert.ok(page);
      page.wantedId = wantedId;
    }
    cleanup.update();
    await until('both are kept', () => left().length === 0);
    assert.deepEqual([deleted, rows()], [[], new Set([about.id, first, second])]);
    pages = [];
    cleanup.update();
    await later();
    assert.deepEqual(deleted, []);
  });

  it('stay when the window ends, although no page is left', async () => {
    const aside = await ask();
    const cleanup = cleanupOf();
    pages = [{ wantedId: aside }];
    cleanup.update();
    cleanup.dispose();
    pages = [];
    cleanup.update();
    await later();
    assert.deepEqual(left(), [aside]);
  });

  it('are deleted a week after a crash, if no page shows them and no tab may still come back', async () => {
    const [first, second] = [await ask(), await ask()];
    pages = [{ wantedId: second }];
    cleanupOf();
    await later();
    assert.deepEqual(deleted, [], 'the tab of a window that is closed may show it');
    clock.advance(weekMs);
    mayShowMore = true;
    cleanupOf();
    await later();
    assert.deepEqual(deleted, [], 'a tab that was not restored yet may show it');
    mayShowMore = false;
    cleanupOf();
    await later();
    await until('the deletion', () => left().length === 1);
    assert.deepEqual([left(), deleted], [[second], [first]]);
  });

  it('stay while another window holds them', async () => {
    const aside = await window.chats.fork(about.id, undefined, 'aside');
    await aside.restores.claim();
    const other = await Window.open({ folder: window.folder });
    assert.deepEqual(left(other), [aside.id]);
    clock.advance(weekMs);
    cleanupOf(other);
    await later();
    assert.deepEqual([left(), deleted], [[aside.id], [aside.id]]);
    await other.close();
  });
});
