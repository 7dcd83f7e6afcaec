import assert from 'node:assert/strict';
import type { Chat } from '../../../src/chat/common/chatPorts';
import type { SaveAnswer, SaveQuestion, UnsavedFile, UnsavedFiles } from '../../../src/chat/common/unsaved/promptSaves';
import { formatFileNames } from '../../../src/base/common/lists';
import type { SaveBeforePrompt } from '../../../src/platform/common/settings';
import { EditorError } from '../../../src/editor/common/editorPort';
import { FakeCheckpoints } from '../../fake/fakeCheckpoints';
import { FakeEditor } from '../../fake/fakeEditor';
import { eventually, until } from '../../support/eventually';
import { draft, outline, Window } from './support/window';

const a = '/ws/src/a.ts';
const b = '/ws/src/b.ts';

/** Files of an editor, and a user who answers as the test says. */
class FakeUnsavedFiles implements UnsavedFiles {
  saveBeforePrompt: SaveBeforePrompt = 'ask';
  files: UnsavedFile[] = [];
  readonly questions: SaveQuestion[] = [];
  /** Answers to the next questions; a question without one stays open. */
  readonly answers: (SaveAnswer | undefined)[] = [];
  readonly saved: string[] = [];
  readonly readOnly = new Set<string>();

  listFiles(): Promise<readonly UnsavedFile[]> {
    return Promise.resolve(this.files);
  }

  saveFile(path: string): Promise<void> {
    if (this.readOnly.has(path)) return Promise.reject(new EditorError('saveFailed', `${path} is read-only.`));
    this.saved.push(path);
    this.files = this.files.filter((file) => file.path !== path);
    return Promise.resolve();
  }

  ask(question: SaveQuestion): Promise<SaveAnswer | undefined> {
    this.questions.push(question);
    return this.answers.length > 0 ? Promise.resolve(this.answers.shift()) : new Promise(() => undefined);
  }

  setAlwaysSave(): Promise<void> {
    this.saveBeforePrompt = 'always';
    return Promise.resolve();
  }

  /** The paths of each question. */
  get asked(): string[][] {
    return this.questions.map(({ paths }) => [...paths]);
  }
}

describe('Unsaved files before a prompt', () => {
  let files: FakeUnsavedFiles;
  let checkpoints: FakeCheckpoints;
  let window: Window;
  let chat: Chat;
  beforeEach(async () => {
    files = new FakeUnsavedFiles();
    files.files = [
      { path: a, isVisible: false },
      { path: b, isVisible: false },
    ];
    const editor = new FakeEditor({ '/ws/a.txt': 'one\n' });
    checkpoints = new FakeCheckpoints(editor);
    window = await Window.open({ editor, checkpoints, unsavedFiles: files });
    chat = await window.chats.create('one');
  });
  afterEach(() => window.remove());

  const prompts = (): string[] => window.agent.last.prompts.map(({ text }) => text);

  async function end(): Promise<void> {
    window.agent.last.end('Done.');
    await until('the end', () => chat.view.status === 'idle');
  }

  it('are saved before the checkpoint and the prompt', async () => {
    files.answers.push('save');
    let savedAtCheckpoint: string[] = [];
    checkpoints.beforeTaking = () => {
      savedAtCheckpoint = [...files.saved];
      return Promise.resolve();
    };
    await chat.send(draft('Go'));
    assert.deepEqual([files.asked, savedAtCheckpoint, prompts()], [[[a, b]], [a, b], ['Go']]);
  });

  it('include only attached, named or visible files, if there are any', async () => {
    files.answers.push('send', 'send', 'send');
    await chat.send({ text: 'Go', attachments: [{ kind: 'folder', id: '1', title: 'src/', path: '/ws/src' }] });
    await end();
    files.files = [{ path: '/ws/c.ts', isVisible: true }, ...files.files];
    await chat.send(draft('Go'));
    await end();
    files.files = [...files.files, { path: '/ws/d.ts', isVisible: false }];
    await chat.send(draft('What about d.ts?'));
    assert.deepEqual(files.asked, [[a, b], ['/ws/c.ts'], ['/ws/c.ts', '/ws/d.ts']]);
    assert.deepEqual(files.saved, []);
  });

  it('are asked about once per conversation, whatever the answer was', async () => {
    files.answers.push('save');
    await chat.send(draft('Go'));
    await end();
    files.files = [{ path: a, isVisible: true }];
    await chat.send(draft('Go on'));
    assert.deepEqual([files.asked.length, files.saved], [1, [a, b, a]]);
    await end();
    const other = await window.chats.create('one');
    files.files = [{ path: a, isVisible: true }];
    files.answers.push('send');
    await other.send(draft('Go'));
    assert.deepEqual([files.asked.length, files.saved.length], [2, 3], 'another conversation has its own answers');
  });

  it('are never asked about with the setting always or never', async () => {
    files.saveBeforePrompt = 'never';
    await chat.send(draft('Go'));
    assert.deepEqual([files.questions, files.saved], [[], []]);
    await end();
    files.saveBeforePrompt = 'always';
    await chat.send(draft('Go on'));
    assert.deepEqual([files.questions, files.saved], [[], [a, b]]);
  });

  it('are saved from now on after Always Save', async () => {
    files.answers.push('alwaysSave');
    await chat.send(draft('Go'));
    assert.deepEqual([files.saveBeforePrompt, files.saved], ['always', [a, b]]);
  });

  it('restore the draft if the dialog is closed, without a failure', async () => {
    files.answers.push(undefined);
    await assert.rejects(chat.send(draft('Go')), /was not sent/);
    assert.deepEqual([chat.draft.text, chat.view.status, outline(chat)], ['Go', 'idle', []]);
    assert.equal(
      window.agent.sessions.every(({ prompts: sent }) => sent.length === 0),
      true,
    );
    files.answers.push('send');
    await chat.send(draft('Go'));
    assert.deepEqual(prompts(), ['Go']);
  });

  it('keep the prompt waiting while the dialog is open, until the user stops it', async () => {
    const sent = chat.send(draft('Go'));
    await until('the question', () => files.questions.length === 1);
    assert.match(chat.view.statusText ?? '', /unsaved files/);
    await chat.stop();
    await sent;
    assert.equal(chat.view.status, 'idle');
    assert.equal(outline(chat).at(-1), 'end: cancelled');
  });

  it('that cannot be saved are named with the reason, and the prompt waits', async () => {
    files.readOnly.add(b);
    files.answers.push('save', 'save');
    const sent = chat.send(draft('Go'));
    await until('the questions', () => files.questions.length === 3);
    assert.deepEqual(files.asked, [[a, b], [b], [b]]);
    assert.match(files.questions[1]?.problem ?? '', /read-only/);
    assert.deepEqual(files.saved, [a]);
    await chat.stop();
    await sent;
  });

  it('are asked about for a queued prompt, which returns to the queue if the dialog is closed', async () => {
    files.saveBeforePrompt = 'never';
    await chat.send(draft('First'));
    await chat.send(draft('Second'));
    assert.equal(chat.view.queue.length, 1);
    files.saveBeforePrompt = 'ask';
    files.answers.push(undefined);
    window.agent.last.end('Done.');
    await eventually('the question', () => assert.deepEqual(files.asked, [[a, b]]));
    await eventually('the queue', () =>
      assert.deepEqual(
        chat.view.queue.map(({ text }) => text),
        ['Second'],
      ),
    );
    files.answers.push('save');
    await chat.sendFirstQueuedPrompt();
    assert.deepEqual(
      [prompts(), files.saved],
      [
        ['First', 'Second'],
        [a, b],
      ],
    );
  });

  it('are asked about when a turn is continued', async () => {
    files.answers.push('save');
    await chat.sendContinue();
    assert.deepEqual([files.asked, files.saved], [[[a, b]], [a, b]]);
  });
});

describe('listNames', () => {
  it('lists at most three names', () => {
    assert.equal(formatFileNames(['a']), '“a”');
    assert.equal(formatFileNames(['a', 'b']), '“a” and “b”');
    assert.equal(formatFileNames(['a', 'b', 'c']), '“a”, “b” and “c”');
    assert.equal(formatFileNames(['a', 'b', 'c', 'd']), '“a”, “b”, “c” and 1 more file');
  });
});
