import assert from 'node:assert/strict';
import { AsideCleanup } from '../../../../src/chat/common/asides/asideCleanup';
import type { Chat } from '../../../../src/chat/common/chatPorts';
import { nullLogger } from '../../../../src/base/common/log';
import { FakeClock } from '../../../fake/fakeClock';
import { until } from '../../../support/eventually';
import { draft, settled, Window } from '../support/window';

const monthMs = 31 * 24 * 60 * 60 * 1000;

describe('Side questions that the user has not kept', () => {
  let window: Window;
  let clock: FakeClock;
  let shownIds: Set<string>;
  let mayShowMore: boolean;
  let about: Chat;
  const cleanups: AsideCleanup[] = [];
  beforeEach(async () => {
    window = await Window.open();
    clock = new FakeClock();
    shownIds = new Set();
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
  /** Ids in the order in which their deletion has begun. */
  const deleted: string[] = [];
  function cleanupOf({ chats: all } = window): AsideCleanup {
    const chats = {
      get openAsides() {
        return all.openAsides;
      },
      delete: (id: string) => {
        deleted.push(id);
        return all.delete(id);
      },
    };
    const cleanup = new AsideCleanup({
      ...{ chats, clock, log: nullLogger, shownIds: () => new Set(shownIds), mayShowMore: () => mayShowMore },
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

  it('are deleted with the last page that shows them, and others are not', async () => {
    const [first, second] = [await ask(), await ask()];
    const cleanup = cleanupOf();
    shownIds = new Set([about.id, first, second]);
    cleanup.update();
    shownIds = new Set([second]);
    cleanup.update();
    await until('the deletion', () => left().length === 1);
    assert.deepEqual([left(), deleted], [[second], [first]]);
    await window.chats.setMarks(second, { keptAside: { about: 'first' } });
    shownIds = new Set();
    cleanup.update();
    await later();
    assert.deepEqual(new Set(window.chats.rows.map(({ id }) => id)), new Set([about.id, second]));
  });

  it('stay when the window ends, although no page is left', async () => {
    const aside = await ask();
    const cleanup = cleanupOf();
    shownIds = new Set([aside]);
    cleanup.update();
    cleanup.dispose();
    shownIds = new Set();
    cleanup.update();
    await later();
    assert.deepEqual(left(), [aside]);
  });

  it('are deleted after a crash, if no tab shows them and no tab may still come back', async () => {
    const [first, second] = [await ask(), await ask()];
    shownIds = new Set([second]);
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

  it('are deleted after a month, wherever they were asked', async () => {
    await ask();
    mayShowMore = true;
    clock.advance(Date.now() + monthMs - clock.now());
    cleanupOf();
    await later();
    await until('the deletion', () => left().length === 0);
  });

  it('stay while another window holds them', async () => {
    const aside = await window.chats.fork(about.id, undefined, 'aside');
    await aside.restores.claim();
    const other = await Window.open({ folder: window.folder });
    assert.deepEqual(left(other), [aside.id]);
    cleanupOf(other);
    await later();
    assert.deepEqual(left(), [aside.id]);
    await other.close();
  });
});
