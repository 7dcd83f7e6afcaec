import assert from 'node:assert/strict';
import type * as z from 'zod';
import {
  draftMethodNames,
  draftMethods,
  Message,
  MessageChunk,
  ThreadEntry,
  ThreadMetadata,
} from '../../../../../src/acp/common/draft/draftSchema';

describe('the draft', () => {
  const structures: [name: string, schema: z.ZodType, line: string][] = [
    [
      'ThreadMetadata',
      ThreadMetadata,
      '{"id":"thread-123","title":"My Conversation","modifiedAt":"2024-07-30T12:00:00Z"}',
    ],
    [
      'a message entry',
      ThreadEntry,
      '{"type":"message","role":"user","chunks":[{"type":"text","chunk":"Hello, world!"}]}',
    ],
    [
      'a readFile entry',
      ThreadEntry,
      '{"type":"readFile","path":"/path/to/file.txt","content":"File content goes here."}',
    ],
    ['Message', Message, '{"role":"assistant","chunks":[{"type":"text","chunk":"This is a response."}]}'],
    ['MessageChunk', MessageChunk, '{"type":"text","chunk":"This is a piece of the message."}'],
  ];
  for (const [name, schema, line] of structures) {
    it(`takes the document's example of ${name} as it is`, () => {
      assert.equal(JSON.stringify(schema.parse(JSON.parse(line))), line);
    });
  }

  it('has ten methods', () => {
    assert.equal(draftMethodNames.length, 10);
    assert.deepEqual([...draftMethodNames].sort(), Object.keys(draftMethods).sort());
  });

  const thread = { threadId: 't' };
  const file = { ...thread, path: '/a' };
  const good: [method: keyof typeof draftMethods, params: unknown][] = [
    ['getThreads', null],
    ['getThreads', undefined],
    ['createThread', {}],
    ['openThread', thread],
    ['getThreadEntries', { ...thread, more: 1 }],
    ['sendMessage', { ...thread, message: { role: 'user', chunks: [] } }],
    ['streamMessageChunk', { ...thread, chunk: { type: 'text', chunk: '' } }],
    ['readTextFile', file],
    ['readTextFile', { ...file, lineOffset: null, lineLimit: null }],
    ['readTextFile', { ...file, lineOffset: 0, lineLimit: 4294967295 }],
    ['readBinaryFile', { ...file, byteOffset: 0, byteLimit: Number.MAX_SAFE_INTEGER }],
    ['stat', file],
    ['globSearch', { ...thread, pattern: '**/*.ts' }],
  ];
  for (const [method, params] of good) {
    it(`takes ${method} with ${JSON.stringify(params)}`, () => {
      assert.ok(draftMethods[method].params.safeParse(params).success);
    });
  }

  const bad: [method: keyof typeof draftMethods, params: unknown][] = [
    ['getThreads', 5],
    ['createThread', { threadId: 't' }],
    ['openThread', null],
    ['openThread', { threadId: 7 }],
    ['sendMessage', { ...thread, message: { role: 'system', chunks: [] } }],
    ['streamMessageChunk', { ...thread, chunk: { type: 'image', chunk: '' } }],
    ['readTextFile', thread],
    ['readTextFile', { path: '/a' }],
    ['readTextFile', { ...file, lineOffset: -1 }],
    ['readTextFile', { ...file, lineLimit: 1.5 }],
    ['readTextFile', { ...file, lineLimit: 4294967296 }],
    ['readTextFile', { ...file, lineOffset: '1' }],
    ['readBinaryFile', { ...file, byteOffset: -1 }],
    ['readBinaryFile', { ...file, byteLimit: 2 ** 53 }],
    ['globSearch', thread],
  ];
  for (const [method, params] of bad) {
    it(`refuses ${method} with ${JSON.stringify(params)}`, () => {
      assert.equal(draftMethods[method].params.safeParse(params).success, false);
    });
  }

  it('validates results, but not the values of methods without a result', () => {
    assert.equal(draftMethods.readTextFile.result.safeParse({ version: -1, content: '' }).success, false);
    assert.equal(draftMethods.readBinaryFile.result.safeParse({ version: 0, content: 'no base64!' }).success, false);
    assert.equal(draftMethods.getThreads.result.safeParse({ threads: [{ id: 'a', title: 'b' }] }).success, false);
    assert.equal(draftMethods.sendMessage.result.parse({ done: true }), null);
  });
});
