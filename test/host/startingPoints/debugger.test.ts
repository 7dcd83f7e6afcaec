import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { commandIds } from '../../../src/manifest';
import { eventually } from '../../support/eventually';
import { StartingPointsUnderTest } from '../support/startingPoints';
import { closeAll, writeInWorkspace } from '../support/workspace';

const { startingPointsExplainStop: explain } = commandIds;
const program = `function price(song) {
  const discount = song.discount.percent;
  return 10 - discount;
}
const cart = ['one'];
price({ title: 'one', count: cart.length });
`;

/** VS Code's debugger of Node.js. */
describe('a program that has stopped in the debugger, given to an agent', () => {
  let subject: StartingPointsUnderTest;
  /** Ids of the sessions that run. VS Code may go on to name one that has ended as the active one. */
  const running = new Set<string>();
  const listeners = [
    vscode.debug.onDidStartDebugSession(({ id }) => void running.add(id)),
    vscode.debug.onDidTerminateDebugSession(({ id }) => void running.delete(id)),
  ];
  beforeEach(() => (subject = new StartingPointsUnderTest()));
  afterEach(async () => {
    await vscode.debug.stopDebugging();
    await eventually('no session', () => assert.equal(running.size, 0));
    subject.dispose();
    await closeAll();
  });
  after(() => {
    for (const listener of listeners) listener.dispose();
  });

  /** Starts the program, and resolves when it has stopped at its first line. */
  const debug = async (file: string): Promise<vscode.DebugStackFrame> => {
    const started = await vscode.debug.startDebugging(vscode.workspace.workspaceFolders?.[0], {
      type: 'node',
      request: 'launch',
      name: 'Hurts',
      program: file,
      runtimeExecutable: process.execPath,
      console: 'internalConsole',
      stopOnEntry: true,
    });
    assert.ok(started);
    return await stoppedAt(() => true);
  };
  const stoppedAt = async (isThere: (frame: vscode.DebugStackFrame) => boolean): Promise<vscode.DebugStackFrame> =>
    await eventually('the program has stopped', () => {
      const item = vscode.debug.activeStackItem;
      assert.ok(item instanceof vscode.DebugStackFrame && running.has(item.session.id) && isThere(item));
      return item;
    });
  const runToException = async (file: string): Promise<void> => {
    const first = await debug(file);
    const { session, threadId } = first;
    await session.customRequest('setExceptionBreakpoints', { filters: ['all', 'uncaught'] });
    await session.customRequest('continue', { threadId });
    await stoppedAt(({ frameId }) => frameId !== first.frameId);
  };

  it('has the exception, the stack, the lines around, and the variables in a text of their own', async () => {
    const file = await writeInWorkspace('hurts/price.js', program);
    await runToException(file);
    const { prompt, texts } = await subject.run(explain);
    assert.equal(prompt, 'The program has stopped at this exception. Explain why it is thrown, and how to fix it.');
    const [exception, variables] = texts;
    assert.ok(exception);
    assert.match(exception.title, /^Exception: .*undefined/);
    assert.match(exception.text, /Cannot read properties of undefined \(reading 'percent'\)/);
    assert.ok(exception.text.includes(`price (${file}:2)`), exception.text);
    assert.match(exception.text, /\n2: {3}const discount = song\.discount\.percent;/);
    assert.doesNotMatch(exception.text, /node_internals/);
    assert.match(variables?.title ?? '', /^Variables of .*price/);
    assert.match(variables?.text ?? '', /song = \{.*title: 'one'/);
  });

  it('has neither lines nor variables of a file that agents may not read', async () => {
    await runToException(await writeInWorkspace('hurts/.env.js', program));
    const { texts } = await subject.run(explain);
    assert.equal(texts.length, 1);
    assert.doesNotMatch(texts[0]?.text ?? '', /\.env\.js/);
    assert.doesNotMatch(texts[0]?.text ?? '', /const discount/);
  });

  it('says so if there is no exception, and if no program has stopped', async () => {
    await eventually('no frame', () => assert.rejects(subject.run(explain), /No program has stopped/));
    await debug(await writeInWorkspace('hurts/calm.js', 'const calm = 1;\n'));
    const { prompt, texts } = await subject.run(explain);
    assert.match(prompt, /has stopped here in the debugger/);
    assert.match(texts[0]?.text ?? '', /without an exception[^]*1: const calm = 1;/);
  });
});
