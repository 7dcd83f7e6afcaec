import assert from 'node:assert/strict';
import type { BackendRegistry } from '../../../../src/session/common/backendRegistry';
import { toDisposable } from '../../../../src/base/common/disposable';
import { NewSessionOptions } from '../../../../src/chat/common/page/newSessionOptions';
import { backendOf } from '../../../fake/backendHarness';
import { MemoryMemento } from '../../../fake/memoryMemento';
import { basics, type Script } from '../../../fake/acp/scriptedAgent';
import { eventually } from '../../../support/eventually';
import { answer, draft, Window } from '../support/window';

type Word = 'edit' | 'execute' | 'read' | 'fail' | 'ask';

/** Without modes. Each word of a prompt is one thing that it does. */
const agent: Script = (app) => {
  basics(app);
  let calls = 0;
  app.onRequest('session/prompt', async ({ client, params: { prompt, sessionId } }) => {
    const [block] = prompt;
    const words = block?.type === 'text' ? block.text.split(' ') : [];
    for (const word of words as Word[]) {
      const toolCallId = `c${++calls}`;
      const kind = word === 'ask' || word === 'fail' ? 'edit' : word;
      const call = { toolCallId, title: word, kind } as const;
      await client.notify('session/update', { sessionId, update: { sessionUpdate: 'tool_call', ...call } });
      if (word === 'ask') {
        const options = [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' as const }];
        await client.request('session/request_permission', { sessionId, toolCall: call, options });
      }
      const status = word === 'fail' ? ('failed' as const) : ('completed' as const);
      const update = { sessionUpdate: 'tool_call_update' as const, toolCallId, status };
      await client.notify('session/update', { sessionId, update });
    }
    return { stopReason: 'end_turn' };
  });
};

describe('Unattended actions of an agent without modes', () => {
  let window: Window;
  let memento: MemoryMemento;
  let options: NewSessionOptions;
  let closing: (() => Promise<unknown>)[];

  async function open(description = 'one'): Promise<void> {
    const { backend } = backendOf(agent, { id: 'one', title: 'One' });
    const registry: BackendRegistry = {
      onDidChange: () => toDisposable(() => undefined),
      list: () => Promise.resolve([{ id: 'one', title: 'One', source: 'configured', description }]),
      open: () => Promise.resolve(backend),
    };
    options = new NewSessionOptions({ backends: registry, memento, onError: assert.ifError });
    window = await Window.open({ backends: registry, memento, starts: options });
    const opened = window;
    closing.push(
      () => opened.close(),
      () => backend.stop(),
    );
    options.setBackends(await opened.chats.backends());
  }

  async function does(...turns: string[]): Promise<void> {
    const chat = await window.chats.create('one');
    for (const words of turns) {
      await chat.send(draft(words));
      await eventually('the end of the turn, or its questions answered', async () => {
        for (const { id } of chat.view.approvals) await answer(chat, id, 'Allow');
        assert.equal(chat.view.status, 'idle');
      });
    }
  }

  beforeEach(() => {
    memento = new MemoryMemento();
    closing = [];
  });
  afterEach(async () => {
    for (const close of closing) await close();
  });

  for (const [turns, seen] of [
    [['read'], undefined],
    [['fail'], undefined],
    [['edit'], 'edits'],
    [['edit', 'execute'], 'runs'],
    [['execute', 'edit'], 'runs'],
    [['ask edit execute'], undefined],
    [['edit', 'ask'], undefined],
  ] as const) {
    it(`are detected: ${turns.join(', then ')} shows ${seen ?? 'nothing'}`, async () => {
      await open();
      assert.equal(options.of('one').observedUnattendedAction, undefined);
      await does(...turns);
      assert.equal(options.of('one').observedUnattendedAction, seen);
    });
  }

  it('are remembered per agent, in later windows too, but not for another program with its name', async () => {
    await open();
    await does('edit');
    await open();
    assert.equal(options.of('one').observedUnattendedAction, 'edits');
    assert.equal(options.of('two').observedUnattendedAction, undefined);
    await open('another program');
    assert.equal(options.of('one').observedUnattendedAction, undefined);
  });

  it('are posted to the page immediately', async () => {
    await open();
    let changes = 0;
    options.onDidChange(() => {
      if (options.of('one').observedUnattendedAction === 'edits') changes++;
    });
    await does('edit');
    assert.ok(changes > 0);
  });
});
