import * as assert from 'node:assert/strict';
import fc from 'fast-check';
import { AmpRouter, type AmpAnswer } from '../../../../src/amp/common/router';
import { RequestScope } from '../../../../src/amp/common/requestScope';
import { nullLogger } from '../../../../src/base/common/log';
import { KnownTexts } from '../../../../src/editor/common/knownTexts';
import { FakeClock } from '../../../fake/fakeClock';
import { FakeEditor } from '../../../fake/fakeEditor';
import { nobodyToAsk } from '../../../fake/nobodyToAsk';

const takeTurn = (): Promise<void> => Promise.resolve();

describe('AmpRouter, whatever it is sent', () => {
  const clock = new FakeClock();
  const routerOver = (editor: FakeEditor): AmpRouter =>
    new AmpRouter({
      editor,
      protectedEdits: nobodyToAsk(editor),
      policy: () => ({}),
      log: nullLogger,
      isToken: () => true,
    });
  const answer = async (router: AmpRouter, frame: string): Promise<AmpAnswer> => {
    const scope = new RequestScope(clock, clock.monotonicNow(), 1800);
    const answered = await router.answer(frame, scope, { knownTexts: new KnownTexts(), awaitTurn: takeTurn });
    scope.end(new Error('answered'));
    return answered;
  };
  const methodName = fc.constantFrom('ping', 'authenticate', 'readFile', 'editFile', 'getDiagnostics', 'openURI', 'x');

  it('answers any text with one message', async () => {
    const router = routerOver(new FakeEditor());
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), async (frame) => {
        const { json } = await answer(router, frame);
        assert.deepEqual(Object.keys(JSON.parse(json) as object), ['serverResponse']);
      }),
    );
  });

  it('answers any params of any method with the same id, in a result or an error of a known code', async () => {
    const router = routerOver(new FakeEditor({ '/ws/a.ts': 'text' }));
    const id = fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.maxSafeInteger());
    const params = fc.oneof(
      fc.jsonValue(),
      fc.record({ path: fc.constantFrom('a.ts', '/ws/a.ts', '', '/', '..', 'a\0b'), uri: fc.string() }),
      fc.record({ path: fc.constant('a.ts'), start: fc.integer(), end: fc.integer(), newText: fc.string() }),
      fc.record({ path: fc.constant('a.ts'), fullContent: fc.string() }),
    );
    await fc.assert(
      fc.asyncProperty(id, methodName, params, fc.boolean(), async (sentId, method, value, inDocumentDialect) => {
        const call = { [method]: value };
        const clientRequest = inDocumentDialect ? { id: sentId, method: call } : { id: sentId, ...call };
        const { json } = await answer(router, JSON.stringify({ clientRequest }));
        const { serverResponse } = JSON.parse(json) as { serverResponse: Record<string, unknown> };
        assert.equal(serverResponse['id'], sentId);
        const failure = serverResponse['error'] as { code: number; message: string } | undefined;
        if (failure) assert.ok([-32_600, -32_601, -32_602, -32_603].includes(failure.code), failure.message);
        else assert.equal(typeof serverResponse[inDocumentDialect ? 'result' : method], 'object');
      }),
    );
    assert.equal(clock.pending, 0);
  });

  it('edits the same bytes as a buffer would, or none', async () => {
    const character = fc.constantFrom('a', '\n', '\r\n', 'é', 'e\u0301', '€', '😀', '👩‍👩‍👧', '\u2028');
    const text = fc.array(character, { maxLength: 12 }).map((characters) => characters.join(''));
    await fc.assert(
      fc.asyncProperty(text, fc.nat(60), fc.nat(60), fc.string(), async (before, start, end, newText) => {
        const editor = new FakeEditor({ '/ws/a.ts': before });
        const clientRequest = { id: 1, method: { editFile: { path: 'a.ts', start, end, newText } } };
        const { errorCode } = await answer(routerOver(editor), JSON.stringify({ clientRequest }));
        const bytes = Buffer.from(before);
        const isBoundary = (offset: number): boolean =>
          offset <= bytes.length && Buffer.from(bytes.subarray(0, offset).toString()).equals(bytes.subarray(0, offset));
        // VS Code has no place between the two halves of a CRLF.
        const splitsLineEnd = (offset: number): boolean => bytes[offset - 1] === 13 && bytes[offset] === 10;
        const isValid = start <= end && [start, end].every((offset) => isBoundary(offset) && !splitsLineEnd(offset));
        const expected = isValid
          ? Buffer.concat([bytes.subarray(0, start), Buffer.from(newText), bytes.subarray(end)]).toString()
          : before;
        assert.equal(editor.bufferText('/ws/a.ts'), expected);
        assert.equal(errorCode, isValid ? undefined : -32_602);
      }),
    );
  });
});
