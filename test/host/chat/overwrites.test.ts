import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { FileService } from '../../../src/acp/node/session/fileService';
import { ObservedWrites, withObservedWrites } from '../../../src/editor/common/writeObserver';
import { AdapterUnderTest } from '../support/editorAdapter';
import { eventually } from '../../support/eventually';
import { closeAll, inWorkspace, show, writeInWorkspace } from '../support/workspace';

const { signal } = new AbortController();
const granted = { isGranted: true } as const;

describe('a file that others write between an agent’s read and its write', () => {
  let subject: AdapterUnderTest;
  let replaced: (string | undefined)[];
  let questions: string[];

  beforeEach(() => {
    subject = new AdapterUnderTest();
    replaced = [];
    questions = [];
  });
  afterEach(async () => {
    subject.dispose();
    await closeAll();
    await rm(inWorkspace('overwrites'), { recursive: true, force: true });
  });

  function filesOfAgent(): FileService {
    const observer = {
      beforeWrite: () => Promise.resolve(),
      afterWrite: (_writer: unknown, _path: string, text?: string) => {
        replaced.push(text);
        return Promise.resolve();
      },
      afterFailedWrite: () => Promise.resolve(),
      beginCommand: () => () => undefined,
    };
    const writes = new ObservedWrites(observer, { backendId: 'agent', sessionId: 's1' });
    return new FileService(withObservedWrites(subject.adapter, writes), {
      missingFile: () => 'error',
      permissions: {
        mayRead: () => Promise.resolve(granted),
        mayWriteWithoutAsking: () => granted,
        askToWrite: ({ before }) => {
          questions.push(before ?? '');
          return Promise.resolve(granted);
        },
      },
      protectionOf: () => Promise.resolve(undefined),
    });
  }

  /**
   * On a busy machine VS Code can have the text of a file that was written while VS Code read it, but the time from before. Then it
   * does not save, which is said. So this tries it with other files.
   */
  async function withOtherFiles(isOpen: boolean, scenario: (file: string) => Promise<void>): Promise<void> {
    let files = 0;
    await eventually('a write that is saved', async () => {
      replaced = [];
      questions = [];
      const file = await writeInWorkspace(`overwrites/${++files}.txt`, 'one\n');
      if (isOpen) await show(file);
      await scenario(file);
    });
  }

  for (const isOpen of [false, true]) {
    it(`is not overwritten before the agent has read it again, ${isOpen ? 'open in a tab' : 'closed'}`, async () => {
      await withOtherFiles(isOpen, async (file) => {
        const files = filesOfAgent();
        await files.read({ path: file }, signal);
        await writeFile(file, 'by somebody else\n');
        const write = () => files.write({ path: file, content: 'by the agent\n' }, signal);
        await assert.rejects(write(), { message: /has changed since you read it.*Read it again/ });
        assert.equal(await readFile(file, 'utf8'), 'by somebody else\n');
        await files.read({ path: file }, signal);
        await write();
        assert.equal(await readFile(file, 'utf8'), 'by the agent\n');
        assert.deepEqual([replaced, questions], [['by somebody else\n'], []]);
      });
    });

    it(`is recorded as it was on disk if the agent never reads it, ${isOpen ? 'open in a tab' : 'closed'}`, async () => {
      await withOtherFiles(isOpen, async (file) => {
        await writeFile(file, 'by somebody else\n');
        await filesOfAgent().write({ path: file, content: 'by the agent\n' }, signal);
        assert.equal(await readFile(file, 'utf8'), 'by the agent\n');
        assert.deepEqual(replaced, ['by somebody else\n']);
      });
    });
  }

  it('is asked about only if it can be written', async () => {
    const latin = await writeInWorkspace('overwrites/latin.txt', 'one\n');
    await writeFile(latin, Buffer.from('caf\xe9 one\n', 'latin1'));
    const adapter = subject.adapter;
    await assert.rejects(adapter.requireWritable(latin, 'two\n'), { code: 'notText' });
    await assert.rejects(adapter.requireWritable(inWorkspace('overwrites/new.txt'), 'half \ud83d'), {
      code: 'invalidText',
    });
    await adapter.requireWritable(inWorkspace('overwrites/new.txt'), 'whole 😀');
  });
});
