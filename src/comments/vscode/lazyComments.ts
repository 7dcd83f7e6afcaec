import * as path from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore } from '../../base/common/disposable';
import type { Feature, LazyFeature, RunningFeature } from '../../base/common/feature';
import { NodeFiles } from '../../base/node/filePort';
import { workspaceKey } from '../../base/node/workspaceKey';
import type { EditorPort } from '../../editor/common/editorPort';
import { textSchemes } from '../../manifest';
import type { FeatureContext } from '../../platform/vscode/featureContext';
import type { TurnAnswer } from '../common/commentChat';
import type { RunningCommentsFeature } from './commentsFeature';

interface LazyCommentsDeps extends Pick<FeatureContext, 'commands' | 'log'> {
  readonly comments: LazyFeature<RunningCommentsFeature>;
  readonly editor: Pick<EditorPort, 'resolve'>;
  /** Absolute path of the folder that all windows share. */
  readonly storageFolder: string;
}

const commentableSchemes: ReadonlySet<string> = new Set([
  'file',
  textSchemes.baseline,
  textSchemes.chat,
  textSchemes.proposedCode,
]);

/** Registers comments with VS Code at activation. Their code is loaded with the first comment. */
export class LazyComments implements Feature {
  readonly id = 'comments';
  readonly title = 'Comments';
  /** VS Code shows the threads through it. */
  readonly controller = vscode.comments.createCommentController('backline', 'Backline');

  constructor(private readonly deps: LazyCommentsDeps) {}

  start(): Promise<RunningFeature> {
    const { commands, comments, log } = this.deps;
    const disposables = new DisposableStore();
    const load = (): Promise<RunningCommentsFeature> => comments.getOrLoad();
    disposables.add(this.controller);
    disposables.add(comments);
    disposables.add(commands.setFeatureLoader(this.id, load));
    this.controller.options = { prompt: 'Comment for an agent', placeHolder: 'Comment for an agent' };
    this.controller.commentingRangeProvider = {
      provideCommentingRanges: async ({ lineCount, uri }) =>
        (await this.isCommentable(uri)) ? [new vscode.Range(0, 0, Math.max(0, lineCount - 1), 0)] : [],
    };
    void this.hasComments()
      .then((has) => (has ? load() : undefined))
      .catch((error: unknown) => log.error('comments', error));
    return Promise.resolve({ stop: () => comments.stop(), dispose: () => disposables.dispose() });
  }

  /** Absolute path of the folder for the comments of this workspace. */
  async folder(): Promise<string> {
    const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
    const file = workspaceFile?.scheme === 'file' ? [workspaceFile.fsPath] : undefined;
    const key = await workspaceKey(file ?? workspaceFolders.map(({ uri }) => uri.fsPath));
    return path.join(this.deps.storageFolder, 'comments', key ?? 'none');
  }

  /** Adds what an agent has said to the threads that it names. Loads nothing if there are no comments. Never rejects. */
  async takeAnswer(answer: TurnAnswer): Promise<void> {
    const { comments, log } = this.deps;
    try {
      if (comments.featureIfLoaded || (await this.hasComments())) await (await comments.getOrLoad()).takeAnswer(answer);
    } catch (error) {
      log.error('cannot store the answer to a comment', error);
    }
  }

  /** Never rejects. */
  private async hasComments(): Promise<boolean> {
    const file = path.join(await this.folder(), 'comments.json');
    return (await new NodeFiles().modifiedAt(file).catch(() => undefined)) !== undefined;
  }

  private async isCommentable(uri: vscode.Uri): Promise<boolean> {
    if (!commentableSchemes.has(uri.scheme)) return false;
    return await this.deps.editor.resolve(uri.fsPath).then(
      () => true,
      () => false,
    );
  }
}
