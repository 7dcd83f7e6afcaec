import * as assert from 'node:assert/strict';
import { RequestScope } from '../../../../src/amp/common/requestScope';
import { AmpRouter, type AmpAnswer } from '../../../../src/amp/common/router';
import { nullLogger } from '../../../../src/base/common/log';
import { EditorError, type Diagnostic } from '../../../../src/editor/common/editorPort';
import { KnownTexts } from '../../../../src/editor/common/knownTexts';
import { FakeClock } from '../../../fake/fakeClock';
import { FakeEditor } from '../../../fake/fakeEditor';
import { nobodyToAsk } from '../../../fake/nobodyToAsk';

describe('AmpRouter', () => {
  let editor: FakeEditor;
  let clock: FakeClock;
  let router: AmpRouter;
  let turns: number;
  let knownTexts: KnownTexts;
  const takeTurn = (): Promise<void> => {
    turns++;
    return Promise.resolve();
  };

  beforeEach(() => {
    editor = new FakeEditor({ '/ws/a.ts': 'const a = 1;\n', '/ws/ü.md': 'äöü 😀\r\nend', '/ws/.env': 'KEY=1' });
    clock = new FakeClock();
    turns = 0;
    knownTexts = new KnownTexts();
    const isToken = (token: string): boolean => token === 'secret';
    router = new AmpRouter({
      editor,
      protectedEdits: nobodyToAsk(editor),
      policy: () => ({}),
      log: nullLogger,
      isToken,
    });
  });

  const answerTo = (frame: string, arrivedAt = clock.monotonicNow()): Promise<AmpAnswer> =>
    router.answer(frame, new RequestScope(clock, arrivedAt, 1800), { knownTexts, awaitTurn: takeTurn });
  const ask = async (clientRequest: object): Promise<unknown> => {
    const { json } = await answerTo(JSON.stringify({ clientRequest }));
    const { serverResponse } = JSON.parse(json) as { serverResponse: unknown };
    return serverResponse;
  };
  /** In the document's dialect: what is beside the id. */
  const askDocument = async (method: string, params?: unknown): Promise<unknown> => {
    const { id, ...answer } = (await ask({ id: 'd', method: { [method]: params } })) as Record<string, unknown>;
    assert.equal(id, 'd');
    return answer;
  };
  /** In the CLI's dialect: what is under the method's name, or the whole answer when it is an error. */
  const askCli = async (method: string, params?: unknown): Promise<unknown> => {
    const { id, ...answer } = (await ask({ id: '1', [method]: params })) as Record<string, unknown>;
    assert.equal(id, '1');
    return answer[method] ?? answer;
  };
  const error = (code: number, reason?: string): ((answer: unknown) => void) => {
    return (answer) => {
      const { error: found } = answer as { error: { code: number; message: string; data?: { reason: string } } };
      assert.equal(found.code, code);
      assert.ok(found.message.length > 10);
      assert.equal(found.data?.reason, reason);
    };
  };

  describe('readFile', () => {
    it("gives the document's clients the unsaved text", async () => {
      editor.type('/ws/a.ts', 'unsaved');
      assert.deepEqual(await askDocument('readFile', { path: 'a.ts' }), { result: { content: 'unsaved' } });
    });

    it('tells the CLI that the text is unsaved', async () => {
      const saved = { success: true, content: 'const a = 1;\n', encoding: 'utf-8', isDirty: false };
      assert.deepEqual(await askCli('readFile', { path: '/ws/a.ts' }), saved);
      editor.type('/ws/a.ts', '');
      assert.deepEqual(await askCli('readFile', { path: '/ws/a.ts' }), { ...saved, content: '', isDirty: true });
    });

    it('hints at bytes that do not decode, in both dialects', async () => {
      editor.readText = async (path) => ({
        ...(await FakeEditor.prototype.readText.call(editor, path)),
        hasInvalidBytes: true,
      });
      const { result } = (await askDocument('readFile', { path: 'a.ts' })) as { result: Record<string, string> };
      assert.deepEqual(Object.keys(result), ['content', 'message']);
      const { success, message } = (await askCli('readFile', { path: 'a.ts' })) as Record<string, unknown>;
      assert.equal(success, true);
      assert.match(String(message), /U\+FFFD.*cannot be edited/u);
    });

    it('waits for a turn for a large file, but not for a small one', async () => {
      editor.setFile('/ws/small.ts', 'x'.repeat(256 * 1024));
      editor.setFile('/ws/large.ts', 'x'.repeat(256 * 1024 + 1));
      await askCli('readFile', { path: 'small.ts' });
      assert.equal(turns, 0);
      assert.equal(((await askCli('readFile', { path: 'large.ts' })) as { success: boolean }).success, true);
      assert.equal(turns, 1);
    });

    it('asks the editor only once for a file that was large before, until it is small', async () => {
      editor.setFile('/ws/large.ts', 'x'.repeat(256 * 1024 + 1));
      let reads = 0;
      editor.readText = (path, options) => {
        reads++;
        return FakeEditor.prototype.readText.call(editor, path, options);
      };
      const readsAndTurns = async (): Promise<number[]> => {
        [reads, turns] = [0, 0];
        await askDocument('readFile', { path: 'large.ts' });
        return [reads, turns];
      };
      assert.deepEqual(await readsAndTurns(), [2, 1]);
      assert.deepEqual(await readsAndTurns(), [1, 1]);
      editor.setFile('/ws/large.ts', 'x');
      assert.deepEqual(await readsAndTurns(), [1, 1]);
      assert.deepEqual(await readsAndTurns(), [1, 0]);
    });

    it("fails as an error in the document's dialect", async () => {
      error(-32_602, 'notFound')(await askDocument('readFile', { path: '/ws/none.ts' }));
      error(-32_602, 'outsideWorkspace')(await askDocument('readFile', { path: '/etc/passwd' }));
      error(-32_602, 'excluded')(await askDocument('readFile', { path: '.env' }));
    });

    it("fails softly in the CLI's dialect, which asks for files that do not exist", async () => {
      for (const path of ['/ws/none.ts', '/etc/passwd', '/ws/.env']) {
        const answer = (await askCli('readFile', { path })) as { success: boolean; message: string; content?: string };
        assert.equal(answer.success, false);
        assert.match(answer.message, new RegExp(path));
        assert.equal(answer.content, undefined);
      }
    });
  });

  describe('editFile', () => {
    it('replaces UTF-8 bytes of the unsaved text', async () => {
      const [start, end] = [Buffer.byteLength('äö'), Buffer.byteLength('äöü 😀')];
      const params = { path: 'ü.md', start, end, newText: 'x' };
      assert.deepEqual(await askDocument('editFile', params), { result: { success: true } });
      assert.equal(editor.bufferText('/ws/ü.md'), 'äöx\r\nend');
      assert.equal(editor.diskText('/ws/ü.md'), 'äöx\r\nend');
    });

    it('refuses an offset inside a character, out of range or in the wrong order, and changes nothing', async () => {
      const before = editor.bufferText('/ws/ü.md');
      for (const [start, end] of [
        [1, 2],
        [0, 8],
        [0, 9999],
        [4, 2],
      ]) {
        error(-32_602, 'invalidRange')(await askDocument('editFile', { path: 'ü.md', start, end, newText: 'x' }));
      }
      assert.equal(editor.bufferText('/ws/ü.md'), before);
    });

    it('refuses once to replace a text that the client has not read since it changed', async () => {
      await askDocument('readFile', { path: 'a.ts' });
      editor.type('/ws/a.ts', 'by somebody else');
      const edit = { path: '/ws/a.ts', start: 0, end: 5, newText: 'let' };
      error(-32_603, 'staleVersion')(await askDocument('editFile', edit));
      assert.equal(editor.bufferText('/ws/a.ts'), 'by somebody else');
      await askDocument('readFile', { path: 'a.ts' });
      assert.deepEqual(await askDocument('editFile', edit), { result: { success: true } });
      assert.deepEqual(await askDocument('editFile', { ...edit, end: 3 }), { result: { success: true } });
    });

    it("makes the CLI's fullContent the whole text and creates missing files", async () => {
      const answer = await askCli('editFile', { path: '/ws/new/file.ts', fullContent: 'hello\n' });
      assert.deepEqual(answer, { success: true, message: 'Edited /ws/new/file.ts', appliedChanges: true });
      assert.equal(editor.diskText('/ws/new/file.ts'), 'hello\n');
    });

    it("fails softly in the CLI's dialect", async () => {
      editor.trusted = false;
      const answer = (await askCli('editFile', { path: '/ws/a.ts', fullContent: 'x' })) as { success: boolean };
      assert.equal(answer.success, false);
      assert.equal(editor.diskText('/ws/a.ts'), 'const a = 1;\n');
    });

    it("is an error of the editor, not of the params, in the document's dialect when the workspace is not trusted", async () => {
      editor.trusted = false;
      error(-32_603, 'untrusted')(await askDocument('editFile', { path: 'a.ts', start: 0, end: 0, newText: 'x' }));
    });

    it('serves each form of edit in the other envelope too, but not both at once', async () => {
      assert.deepEqual(await askDocument('editFile', { path: 'a.ts', fullContent: 'abc' }), {
        result: { success: true },
      });
      const answer = await askCli('editFile', { path: 'a.ts', start: 1, end: 2, newText: '' });
      assert.deepEqual(answer, { success: true, message: 'Edited /ws/a.ts', appliedChanges: true });
      assert.equal(editor.bufferText('/ws/a.ts'), 'ac');
      error(-32_602)(await askCli('editFile', { path: 'a.ts', fullContent: 'x', start: 0, end: 0, newText: 'y' }));
      assert.equal(editor.bufferText('/ws/a.ts'), 'ac');
    });
  });

  describe('getDiagnostics', () => {
    const diagnostic: Diagnostic = {
      range: { start: { line: 0, character: 6 }, end: { line: 0, character: 7 } },
      severity: 'warning',
      message: "'a' is never used",
      source: 'eslint',
      code: 'no-unused-vars',
      lineText: 'const a = 1;',
      startOffset: 6,
      endOffset: 7,
    };
    const plain: Diagnostic = {
      range: diagnostic.range,
      severity: 'information',
      message: 'Hm',
      lineText: 'const a = 1;',
      startOffset: 6,
      endOffset: 7,
    };

    beforeEach(() => {
      editor.setDiagnostics('/ws/a.ts', [diagnostic, plain]);
    });

    it("answers the document's clients with one array for the whole workspace", async () => {
      const common = {
        path: '/ws/a.ts',
        uri: 'file:///ws/a.ts',
        range: { start: { line: 0, col: 6 }, end: { line: 0, col: 7 } },
      };
      assert.deepEqual(await askDocument('getDiagnostics', {}), {
        result: [
          { ...common, severity: 'warning', message: "'a' is never used", source: 'eslint', code: 'no-unused-vars' },
          { ...common, severity: 'info', message: 'Hm' },
        ],
      });
      assert.deepEqual(await askDocument('getDiagnostics', { path: '/ws/ü.md' }), { result: [] });
    });

    it('answers the CLI by file, with source and code in the description', async () => {
      const common = {
        range: { startLine: 0, startCharacter: 6, endLine: 0, endCharacter: 7 },
        lineContent: 'const a = 1;',
        startOffset: 6,
        endOffset: 7,
      };
      assert.deepEqual(await askCli('getDiagnostics', { path: '/ws' }), {
        entries: [
          {
            uri: 'file:///ws/a.ts',
            diagnostics: [
              { ...common, severity: 'warning', description: "'a' is never used (eslint no-unused-vars)" },
              { ...common, severity: 'info', description: 'Hm' },
            ],
          },
        ],
      });
    });

    it('takes a turn, and is told when its time is over', async () => {
      let signal: AbortSignal | undefined;
      editor.diagnostics = (_path, options) => {
        signal = options?.signal;
        return new Promise(() => undefined);
      };
      const answered = askCli('getDiagnostics', { path: '/ws' });
      await Promise.resolve();
      assert.equal(turns, 1);
      clock.advance(1800);
      error(-32_603)(await answered);
      assert.equal(signal?.aborted, true);
    });

    it('requires a path in the CLI dialect, and a path inside the workspace in both', async () => {
      error(-32_602)(await askCli('getDiagnostics', {}));
      error(-32_602, 'outsideWorkspace')(await askCli('getDiagnostics', { path: '/elsewhere' }));
      error(-32_602, 'outsideWorkspace')(await askDocument('getDiagnostics', { path: '/elsewhere' }));
    });
  });

  describe('openURI', () => {
    it('shows the place without taking the focus from the terminal', async () => {
      const uri = 'file:///ws/a.ts#L12-L20';
      assert.deepEqual(await askDocument('openURI', { uri }), { result: { success: true, message: `Opened ${uri}` } });
      assert.deepEqual(await askCli('openURI', { uri }), { success: true, message: `Opened ${uri}` });
      const options = { preserveFocus: true, preview: true };
      assert.deepEqual(editor.opened, [
        { target: uri, options },
        { target: uri, options },
      ]);
    });

    it('does not claim that a link was opened, which is for the user to decide', async () => {
      const uri = 'https://example.com/';
      assert.deepEqual(await askCli('openURI', { uri }), { success: true, message: `Asked the user to open ${uri}` });
    });

    it('explains why it failed in the result of both dialects', async () => {
      editor.beforeRequest = () => Promise.reject(new EditorError('notFound', 'It does not exist.'));
      const failure = { success: false, message: 'It does not exist.' };
      assert.deepEqual(await askDocument('openURI', { uri: 'x' }), { result: failure });
      assert.deepEqual(await askCli('openURI', { uri: 'x' }), failure);
    });
  });

  it('echoes pings and checks tokens in both dialects', async () => {
    assert.deepEqual(await askCli('ping', { message: 'beepboop' }), { message: 'beepboop' });
    assert.deepEqual(await askDocument('ping', { message: 'beepboop' }), { result: { message: 'beepboop' } });
    assert.deepEqual(await askCli('authenticate', { authToken: 'secret' }), { authenticated: true });
    assert.deepEqual(await askDocument('authenticate', { authToken: 'guess' }), { result: { authenticated: false } });
  });

  it('refuses unknown methods, also those that every object has', async () => {
    for (const method of ['deleteFile', 'constructor', 'toString', '__proto__', '']) {
      error(method === '__proto__' ? -32_600 : -32_601)(await ask(JSON.parse(`{"id":"1","${method}":{}}`) as object));
    }
    error(-32_601)(await askDocument('deleteFile', {}));
    const { method } = await answerTo('{"clientRequest":{"id":1,"made up":{}}}');
    assert.equal(method, '?');
  });

  it('refuses missing params and params of wrong types, naming the field', async () => {
    for (const params of [null, undefined, {}, { path: 1 }, [], 'a.ts']) {
      error(-32_602)(await ask({ id: '1', method: { readFile: params ?? null } }));
      error(-32_602)(await ask({ id: '1', readFile: params ?? null }));
    }
    const answer = (await askCli('readFile', { path: 1 })) as { error: { message: string } };
    assert.match(answer.error.message, /readFile: path: .*string/u);
    for (const offset of ['0', 1.5, -1, null]) {
      error(-32_602)(await askDocument('editFile', { path: 'a.ts', start: offset, end: 3, newText: '' }));
    }
  });

  it('refuses text that cannot be saved, and changes nothing', async () => {
    for (const edit of [
      { start: 0, end: 0, newText: 'a\ud83d' },
      { start: 0, end: 0, newText: '\ude00' },
      { fullContent: '\udc00\ud800' },
    ]) {
      error(-32_602)(await askDocument('editFile', { path: 'a.ts', ...edit }));
      const answer = (await askCli('editFile', { path: 'a.ts', ...edit })) as { error: { message: string } };
      error(-32_602)(answer);
      assert.match(answer.error.message, /half of a surrogate pair/u);
    }
    assert.equal(editor.diskText('/ws/a.ts'), 'const a = 1;\n');
    assert.deepEqual(await askCli('ping', { message: 'a\ud83d' }), { message: 'a\ud83d' });
  });

  it('hides internal errors, and names the log', async () => {
    editor.beforeRequest = () => Promise.reject(new TypeError('secret detail'));
    const answer = (await askCli('readFile', { path: 'a.ts' })) as { error: { code: number; message: string } };
    assert.equal(answer.error.code, -32_603);
    assert.doesNotMatch(answer.error.message, /secret/u);
  });

  describe('the deadline', () => {
    it('answers with an error naming the method when the editor takes too long', async () => {
      editor.beforeRequest = () => new Promise(() => undefined);
      const answered = askCli('readFile', { path: 'a.ts' });
      clock.advance(1800);
      const answer = (await answered) as { error: { code: number; message: string } };
      assert.equal(answer.error.code, -32_603);
      assert.match(answer.error.message, /readFile/u);
      assert.equal(clock.pending, 0);
    });

    it('counts from the arrival, and does not start what is already late', async () => {
      let asked = 0;
      editor.beforeRequest = () => {
        asked++;
        return new Promise(() => undefined);
      };
      const frame = JSON.stringify({ clientRequest: { id: '1', readFile: { path: 'a.ts' } } });
      clock.advance(5000);
      const late = await answerTo(frame, clock.monotonicNow() - 1800);
      assert.equal(late.errorCode, -32_603);
      assert.equal(asked, 0);
      const answered = answerTo(frame, clock.monotonicNow() - 1700);
      clock.advance(100);
      assert.equal((await answered).errorCode, -32_603);
      assert.equal(asked, 1);
    });

    it('keeps a late edit from being applied', async () => {
      let release = (): void => undefined;
      editor.beforeRequest = () => new Promise((resolve) => (release = resolve));
      const answered = askCli('editFile', { path: '/ws/a.ts', fullContent: 'late' });
      clock.advance(1800);
      const answer = (await answered) as { error: { message: string } };
      assert.match(answer.error.message, /Nothing was changed\. Try again/u);
      release();
      await new Promise(setImmediate);
      assert.equal(editor.bufferText('/ws/a.ts'), 'const a = 1;\n');
    });

    it('does not end an edit that is being applied: the answer is late, but true', async () => {
      let applied = (): void => undefined;
      editor.beforeApply = () => new Promise((resolve) => (applied = resolve));
      const answered = askCli('editFile', { path: '/ws/a.ts', fullContent: 'slow' });
      await new Promise(setImmediate);
      clock.advance(10_000);
      applied();
      assert.equal(((await answered) as { success: boolean }).success, true);
      assert.equal(editor.diskText('/ws/a.ts'), 'slow');
      assert.equal(clock.pending, 0);
    });

    it('says that an edit may have been made if it never ends', async () => {
      editor.beforeApply = () => new Promise(() => undefined);
      const answered = askCli('editFile', { path: '/ws/a.ts', fullContent: 'hangs' });
      await new Promise(setImmediate);
      clock.advance(60_000);
      const answer = (await answered) as { error: { message: string } };
      assert.match(answer.error.message, /timed out after 60000 ms\. The edit may have been made: read the file/u);
      assert.equal(clock.pending, 0);
    });

    it('is for edits that are not too large: those are refused before anything is changed', async () => {
      const large = 'x'.repeat(4 * 1024 * 1024 + 1);
      const answer = (await askCli('editFile', { path: '/ws/a.ts', fullContent: large })) as { message: string };
      assert.match(answer.message, /was not changed.*at most 4194304/u);
      assert.equal(editor.bufferText('/ws/a.ts'), 'const a = 1;\n');
    });

    it('leaves time to answer when the saving of an edit takes long', async () => {
      const waits: (number | undefined)[] = [];
      editor.writeText = (path, text, options) => {
        waits.push(options?.awaitSaveUntil);
        return FakeEditor.prototype.writeText.call(editor, path, text, options);
      };
      const frame = JSON.stringify({ clientRequest: { id: '1', editFile: { path: '/ws/a.ts', fullContent: 'new' } } });
      const arrivedAt = clock.monotonicNow();
      clock.advance(700);
      assert.equal((await answerTo(frame, arrivedAt)).errorCode, undefined);
      assert.deepEqual(waits, [arrivedAt + 1300]);
    });

    it('leaves no timer behind when the answer is in time', async () => {
      await askCli('ping', { message: 'x' });
      await askCli('readFile', { path: '/ws/none' });
      await askCli('readFile', {});
      assert.equal(clock.pending, 0);
    });
  });
});
