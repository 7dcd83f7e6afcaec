import assert from 'node:assert/strict';
import { rename, rm, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { commandIds, textSchemes } from '../../../src/manifest';
import { eventually } from '../../support/eventually';
import { CommentsUnderTest } from '../support/comments';
import { closeAll, inWorkspace, show, writeInWorkspace } from '../support/workspace';

const text = 'export const first = 1;\nexport const second = 2;\nexport const third = 3;\nexport const fourth = 4;\n';

describe('comments on lines', () => {
  let subject: CommentsUnderTest;
  let uri: vscode.Uri;
  let file: string;

  beforeEach(async () => {
    subject = await CommentsUnderTest.start();
    file = await writeInWorkspace('comments/a.ts', text);
    uri = (await show(file)).document.uri;
  });
  afterEach(async () => {
    await closeAll();
    await subject.dispose();
    await rm(inWorkspace('comments'), { recursive: true, force: true });
  });

  const edit = async (range: vscode.Range, added: string): Promise<void> => {
    const change = new vscode.WorkspaceEdit();
    change.replace(uri, range, added);
    assert.ok(await vscode.workspace.applyEdit(change));
  };
  const line = (number: number): vscode.Range => new vscode.Range(number, 0, number, 1000);
  const bodies = (): string[] =>
    subject.only.comments.map(({ author, body }) => `${author.name}: ${typeof body === 'string' ? body : body.value}`);
  const labelBecomes = (label: string): Promise<void> =>
    eventually(`the label “${label}”`, () => assert.deepEqual(subject.labels, [label]));
  const startsAt = (): number | undefined => subject.only.range?.start.line;

  /** As the chat does when the user sends the attachment. Returns the prompt. */
  async function send(conversation = 'conversation'): Promise<string> {
    await subject.run(commandIds.commentsSend);
    const id = subject.attached.at(-1)?.attachment.id ?? '';
    const prompt = await subject.feature.promptOf(id, conversation);
    await subject.feature.noteOutcome(id, conversation, 'accepted');
    return prompt;
  }

  it('follow their lines through edits, and say when those have changed or are gone', async () => {
    await subject.comment(uri, 2, 2, 'Why 3?');
    await labelBecomes('Draft');
    await edit(new vscode.Range(0, 0, 0, 0), '// new\n');
    await eventually('the line below the new one', () => assert.equal(startsAt(), 3));
    await edit(line(3), 'export const third = 33;');
    await labelBecomes('Draft · Lines changed since');
    assert.match(bodies()[1] ?? '', /Before:[^]*third = 3;[^]*Now:[^]*third = 33;/);
    await edit(new vscode.Range(3, 0, 4, 0), '');
    await labelBecomes('Draft · The lines are gone');
    await edit(new vscode.Range(3, 0, 3, 0), 'export const third = 3;\n');
    await labelBecomes('Draft');
    assert.equal(startsAt(), 3);
  });

  it('are kept over a reload, also of a file that was changed on disk and renamed meanwhile', async () => {
    await subject.comment(uri, 1, 1, 'Why 2?');
    await labelBecomes('Draft');
    await closeAll();
    const renamed = vscode.Uri.file(inWorkspace('comments/b.ts'));
    const change = new vscode.WorkspaceEdit();
    change.renameFile(uri, renamed);
    assert.ok(await vscode.workspace.applyEdit(change));
    await eventually('the renamed file', () => assert.equal(subject.only.uri.fsPath, renamed.fsPath));
    await writeFile(renamed.fsPath, `// new\n${text}`);
    await subject.reload();
    assert.deepEqual(subject.labels, ['Draft']);
    // VS Code may still have the earlier text of the file.
    await eventually('the line below the new one', () => assert.equal(startsAt(), 2));
    assert.deepEqual(bodies(), ['You: Why 2?']);
  });

  it('are sent as one prompt, and answered by their numbers in that conversation only', async () => {
    await subject.comment(uri, 0, 0, 'Why 1?');
    await subject.comment(uri, 2, 3, 'Join these.');
    assert.equal(subject.draftCount.value, 2);
    const prompt = await send();
    assert.deepEqual(subject.attached.at(-1)?.attachment.title, '2 comments');
    assert.deepEqual(subject.attached.at(-1)?.paths, [file]);
    assert.match(
      prompt,
      /## C1: .*comments.a\.ts, line 1\n[^]*first = 1[^]*> Why 1\?[^]*## C2: .*lines 3 to 4\n[^]*> Join/,
    );
    assert.equal(subject.draftCount.value, 0);
    await eventually('both sent', () => assert.deepEqual(subject.labels, ['Sent', 'Sent']));
    await subject.feature.takeAnswer({ conversation: 'another', agent: 'Demo', text: 'C1: no' });
    const answer = 'C1: It is [first](command:x).\n\nThe rest is clear.';
    await subject.feature.takeAnswer({ conversation: 'conversation', agent: 'Demo', text: answer });
    await eventually('one answered', () => assert.deepEqual(subject.labels, ['Answered', 'Sent']));
    const [first] = subject.threads;
    const body = first?.comments[1]?.body;
    assert.ok(body instanceof vscode.MarkdownString);
    assert.equal(body.value.replaceAll('\u2060', ''), 'It is [first](command:x).');
    assert.doesNotMatch(body.value, /\]\(/);
    assert.notEqual(body.isTrusted, true);
  });

  it('stay drafts when the prompt was not sent, and are sent again with the same number when a prompt is repeated', async () => {
    await subject.comment(uri, 0, 0, 'Why 1?');
    await subject.run(commandIds.commentsSend);
    const id = subject.attached.at(-1)?.attachment.id ?? '';
    assert.match(await subject.feature.promptOf(id, 'one'), /## C1:/);
    assert.deepEqual(subject.labels, ['Draft']);
    assert.match(await subject.feature.promptOf(id, 'two'), /## C2:/);
    await subject.feature.noteOutcome(id, 'two', 'accepted');
    await labelBecomes('Sent');
    assert.match(await subject.feature.promptOf(id, 'two'), /## C2:/);
    assert.equal(await subject.feature.promptOf(id, 'one'), '', 'nothing is left for another conversation');
    await assert.rejects(subject.run(commandIds.commentsSend), /no comments to send/);
  });

  it('are resolved, reopened, edited, answered back, sent again and deleted', async () => {
    await subject.comment(uri, 0, 0, 'Why 1?');
    await send();
    await labelBecomes('Sent');
    const { only } = subject;
    await subject.run(commandIds.commentsResolve, only);
    await labelBecomes('Resolved');
    assert.equal(only.state, vscode.CommentThreadState.Resolved);
    await subject.run(commandIds.commentsReopen, only);
    await labelBecomes('Sent');
    await subject.run(commandIds.commentsSendAgain, only);
    await labelBecomes('Draft');
    assert.equal(subject.attached.length, 2);
    await subject.run(commandIds.commentsAdd, { thread: only, text: 'And 2?' });
    await eventually('two comments', () => assert.deepEqual(bodies(), ['You: Why 1?', 'You: And 2?']));
    await subject.run(commandIds.commentsEdit, only.comments[1]);
    const mode = (): vscode.CommentMode | undefined => only.comments[1]?.mode;
    assert.equal(mode(), vscode.CommentMode.Editing);
    await subject.run(commandIds.commentsCancelEdit, only.comments[1]);
    assert.equal(mode(), vscode.CommentMode.Preview);
    await subject.run(commandIds.commentsSaveEdit, { ...only.comments[1], body: 'And 3?' });
    await eventually('the new text', () => assert.deepEqual(bodies(), ['You: Why 1?', 'You: And 3?']));
    await subject.run(commandIds.commentsDelete, only.comments[1]);
    await eventually('one comment', () => assert.deepEqual(bodies(), ['You: Why 1?']));
    await subject.run(commandIds.commentsDeleteThread, only);
    await eventually('no thread', () => assert.deepEqual(subject.labels, []));
  });

  describe('of a reviewing agent', () => {
    const finding = (start: number, said: string) => ({
      ...{ path: file, reviewedText: text, lines: { start, end: start + 1 } },
      text: said,
    });
    const find = (...findings: readonly ReturnType<typeof finding>[]): Promise<void> =>
      subject.feature.addFindings({ agent: 'Reviewer', conversation: 'review', findings });

    it('stand at the lines that it has read, also if the file has changed meanwhile, and each once', async () => {
      await edit(new vscode.Range(0, 0, 0, 0), '// new\n');
      await find(finding(2, 'Error: [three](command:x)?'), finding(0, 'One?'));
      await find(finding(0, 'One?'));
      await eventually('both', () => assert.deepEqual(subject.labels, ['Finding', 'Finding']));
      const [third] = subject.threads;
      assert.equal(third?.range?.start.line, 3);
      assert.equal(third.contextValue, 'finding');
      assert.equal(third.comments[0]?.author.name, 'Reviewer');
      const body = third.comments[0].body;
      assert.ok(body instanceof vscode.MarkdownString && !body.value.includes(']('));
      await subject.reload();
      assert.deepEqual(subject.labels, ['Finding', 'Finding']);
      await assert.rejects(subject.run(commandIds.commentsSend), /no comments to send/);
    });

    it('are sent to the working agent once they are accepted, and gone when they are dismissed', async () => {
      await find(finding(2, 'Why 3?'));
      await subject.run(commandIds.commentsAcceptFinding, subject.only);
      await labelBecomes('Draft');
      assert.match(await send(), /## C1: [^]*Reviewer wrote before:\n\n> Why 3\?\n\nComment:\n\n> Fix this\./);
      await find(finding(0, 'Why 1?'));
      await eventually('the new one', () => assert.deepEqual(subject.labels, ['Sent', 'Finding']));
      await subject.run(commandIds.commentsDismissFinding, [...subject.threads][1]);
      await labelBecomes('Sent');
    });

    it('are answered in the conversation of the reviewer, which goes on in the thread', async () => {
      await find(finding(2, 'Why 3?'));
      await subject.run(commandIds.commentsAnswerReviewer, { thread: subject.only, text: 'Because of the test.' });
      const [sent] = subject.sent;
      assert.equal(sent?.conversation, 'review');
      const id = sent.attachment.id;
      assert.match(await subject.feature.promptOf(id, 'review'), /## C1: [^]*> Because of the test\./);
      await subject.feature.noteOutcome(id, 'review', 'accepted');
      await labelBecomes('Sent');
      assert.equal(subject.only.contextValue, 'sentFinding');
      await subject.feature.takeAnswer({ conversation: 'review', agent: 'Reviewer', text: 'C1: Then it is right.' });
      await labelBecomes('Answered');
      assert.deepEqual(bodies(), ['Reviewer: Why 3?', 'You: Because of the test.', 'Reviewer: Then it is right.']);
      await subject.run(commandIds.commentsAcceptFinding, subject.only);
      await labelBecomes('Draft');
    });
  });

  it('stand on an earlier text while that is open, and then on what replaced it', async () => {
    const earlier = uri.with({ scheme: `${textSchemes.baseline}-test` });
    const provider = vscode.workspace.registerTextDocumentContentProvider(earlier.scheme, {
      provideTextDocumentContent: () => text.replace('second = 2', 'second = 22'),
    });
    try {
      await vscode.window.showTextDocument(earlier);
      await subject.comment(earlier, 1, 1, 'Why not 22?');
      await labelBecomes('Draft');
      assert.equal(subject.only.uri.toString(), earlier.toString());
      assert.match(await send(), /text of the file in a diff[^]*second = 22[^]*They are now:[^]*second = 2;/);
      await subject.reload();
      await labelBecomes('Sent');
    } finally {
      provider.dispose();
    }
  });

  it('keep what the user rewrites, whatever comes meanwhile', async () => {
    await subject.comment(uri, 0, 0, 'Why 1?');
    await send();
    await labelBecomes('Sent');
    const { only } = subject;
    await subject.run(commandIds.commentsEdit, only.comments[0]);
    const edited = only.comments;
    await subject.feature.takeAnswer({ conversation: 'conversation', agent: 'Demo', text: 'C1: So.' });
    await edit(new vscode.Range(0, 0, 0, 0), '// new\n');
    await eventually('the line below the new one', () => assert.equal(startsAt(), 1));
    assert.deepEqual(only.comments, edited);
    await subject.run(commandIds.commentsCancelEdit, only.comments[0]);
    await labelBecomes('Answered');
    assert.deepEqual(bodies(), ['You: Why 1?', 'Demo: So.']);
  });

  it('are not lost when they cannot be stored', async () => {
    await subject.breakStorage();
    await assert.rejects(subject.comment(uri, 0, 0, 'Why 1?'), /can’t be stored/);
    assert.deepEqual(bodies(), ['You: Why 1?']);
    assert.equal(subject.only.comments[0]?.label, 'Not stored');
    await subject.mendStorage();
    await subject.run(commandIds.commentsAdd, { thread: subject.only, text: 'Why 1?' });
    await labelBecomes('Draft');
    assert.deepEqual(bodies(), ['You: Why 1?']);
  });

  it('are sent only as they were in the prompt, and are drafts again when that is withdrawn', async () => {
    await subject.comment(uri, 0, 0, 'Why 1?');
    await subject.run(commandIds.commentsSend);
    const id = subject.attached.at(-1)?.attachment.id ?? '';
    await subject.feature.promptOf(id, 'one');
    await subject.run(commandIds.commentsAdd, { thread: subject.only, text: 'And 2?' });
    await subject.feature.noteOutcome(id, 'one', 'accepted');
    await eventually('one draft', () =>
      assert.deepEqual(
        subject.only.comments.map((comment) => comment.label),
        [undefined, 'Draft'],
      ),
    );
    await subject.feature.noteOutcome(id, 'one', 'withdrawn');
    await eventually('two drafts', () =>
      assert.deepEqual(
        subject.only.comments.map((comment) => comment.label),
        ['Draft', 'Draft'],
      ),
    );
  });

  it('follow files that agents rename, and go back with them', async () => {
    const renamed = inWorkspace('comments/renamed.ts');
    await subject.comment(uri, 1, 1, 'Why 2?');
    await closeAll();
    await rename(file, renamed);
    await subject.feature.followRenames(new Map([[renamed, file]]));
    await eventually('the renamed file', () => assert.equal(subject.only.uri.fsPath, renamed));
    await rename(renamed, file);
    await subject.feature.followRenames(new Map());
    await eventually('the file', () => assert.equal(subject.only.uri.fsPath, file));
  });

  it('stay here when agents may no longer read their file', async () => {
    await subject.comment(uri, 0, 0, 'Why 1?');
    subject.editor.changeExclude('**/comments/**');
    assert.equal(await send(), '');
    assert.deepEqual(subject.labels, ['Draft']);
    subject.editor.changeExclude();
    assert.match(await send(), /first = 1/);
  });

  it('are refused outside of the workspace', async () => {
    const outside = vscode.Uri.file('/etc/hostname');
    await assert.rejects(subject.comment(outside, 0, 0, 'What is this?'));
  });
});
