import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import * as vscode from 'vscode';
import { SessionProblemsAndProgress } from '../../../src/amplifier/vscode/sessionProblemsAndProgress';
import { nullLogger } from '../../../src/base/common/log';
import { FakeSession } from '../../fake/fakeBackend';
import { AdapterUnderTest } from '../support/editorAdapter';
import { eventually } from '../../support/eventually';
import { inWorkspace, writeInWorkspace } from '../support/workspace';

describe('what sessions find', () => {
  let subject: AdapterUnderTest;
  let problemsAndProgress: SessionProblemsAndProgress;
  let session: FakeSession;
  let file: string;

  beforeEach(async () => {
    subject = new AdapterUnderTest();
    problemsAndProgress = new SessionProblemsAndProgress(subject.adapter, nullLogger);
    session = new FakeSession('one');
    problemsAndProgress.follow(session);
    file = await writeInWorkspace('found/a.py', 'xs = []\nfor x in y: xs.append(x)\n');
  });
  afterEach(async () => {
    problemsAndProgress.dispose();
    subject.dispose();
    await rm(inWorkspace('found'), { recursive: true, force: true });
  });

  function add(path: string, message: string, to = session): void {
    to.tell({
      event: 'diagnostic:add',
      data: {
        session_id: to.id,
        path,
        diagnostics: [
          {
            range: { start: { line: 1, character: 0 }, end: { line: 1, character: 20 } },
            severity: 'warning',
            message,
            source: 'amplifier',
          },
        ],
      },
    });
  }

  const problems = (path = file): vscode.Diagnostic[] =>
    vscode.languages.getDiagnostics(vscode.Uri.file(path)).filter(({ source }) => source === 'amplifier');

  const shown = (expected: string[], path = file): Promise<void> =>
    eventually(`problems: ${expected.join(', ')}`, () =>
      assert.deepEqual(
        problems(path)
          .map(({ message }) => message)
          .sort(),
        expected,
      ),
    );

  it('is a Problem, at its place and as bad as they say', async () => {
    add(file, '[Amplifier] Consider using list comprehension here');
    await shown(['[Amplifier] Consider using list comprehension here']);
    const [problem] = problems();
    assert.equal(problem?.severity, vscode.DiagnosticSeverity.Warning);
    assert.deepEqual(problem.range, new vscode.Range(1, 0, 1, 20));
  });

  it('comes to what they said of the file before, once, and goes with it when they clear the file', async () => {
    add(file, 'first');
    await shown(['first']);
    add('found/a.py', 'second');
    add(file, 'first');
    add(file, 'third');
    await shown(['first', 'second', 'third']);
    session.tell({ event: 'diagnostic:clear', data: { session_id: 'one', path: file } });
    await shown([]);
  });

  it('is kept apart for each session, also of two with one id, and goes with it', async () => {
    const other = new FakeSession('one');
    problemsAndProgress.follow(other);
    add(file, 'mine');
    add(file, 'theirs', other);
    await shown(['mine', 'theirs']);
    session.dispose();
    await shown(['theirs']);
    other.tell({ event: 'diagnostic:clear', data: { session_id: 'one' } });
    await shown([]);
  });

  it('is nowhere for files that are not for agents', async () => {
    const secret = await writeInWorkspace('found/.env', 'a\nb\n');
    add(secret, 'secret');
    add('/etc/hostname', 'outside');
    add(file, 'last');
    await shown(['last']);
    assert.deepEqual(problems(secret), []);
    assert.deepEqual(problems('/etc/hostname'), []);
  });

  it('goes with Backline', async () => {
    add(file, 'mine');
    await shown(['mine']);
    problemsAndProgress.dispose();
    await shown([]);
  });
});
