import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import type { ContextDecorationStyle } from '../../platform/common/settings';
import type { ItemRange } from '../common/items/contextItem';
import type { DocumentItemsFeed } from './documentItemsFeed';

const maxMarks = 1_000;

/** Marks ranges that have items, in the chosen style. VS Code moves the marks while the user types. */
export class ItemDecorations implements Disposable {
  private readonly disposables = new DisposableStore();
  private decorationType: vscode.TextEditorDecorationType | undefined;

  constructor(
    private readonly feed: Pick<DocumentItemsFeed, 'knownItems' | 'onDidUpdate'>,
    private readonly style: () => ContextDecorationStyle,
  ) {}

  start(): void {
    this.disposables.add(this.feed.onDidUpdate((document) => this.render(document)));
    this.updateStyle();
  }

  /** Call when the user has changed the style. */
  updateStyle(): void {
    this.decorationType?.dispose();
    this.decorationType = typeOf(this.style());
    for (const { document } of vscode.window.visibleTextEditors) this.render(document);
  }

  dispose(): void {
    this.disposables.dispose();
    this.decorationType?.dispose();
    this.decorationType = undefined;
  }

  private render(document: vscode.TextDocument): void {
    const { decorationType } = this;
    if (!decorationType) return;
    const editors = vscode.window.visibleTextEditors.filter((editor) => editor.document === document);
    const marked =
      this.feed.knownItems(document)?.items.takeEvenlyFromGroups(maxMarks, ({ range }) => range !== undefined) ?? [];
    const ranges = marked.flatMap(({ range }) => (range ? firstLineOf(document, range) : []));
    for (const editor of editors) editor.setDecorations(decorationType, ranges);
  }
}

/** Returns the part of a range on its first line, because a whole underlined function would be hard to read. */
function firstLineOf(document: vscode.TextDocument, { start, end }: ItemRange): vscode.Range {
  const from = new vscode.Position(start.line, start.character);
  const to = new vscode.Position(end.line, end.character);
  return document.validateRange(
    start.line === end.line ? new vscode.Range(from, to) : new vscode.Range(from, from.with(undefined, 100_000)),
  );
}

function typeOf(style: ContextDecorationStyle): vscode.TextEditorDecorationType | undefined {
  const rangeBehavior = vscode.DecorationRangeBehavior.ClosedClosed;
  switch (style) {
    case 'none':
      return undefined;
    case 'underline':
      return vscode.window.createTextEditorDecorationType({
        rangeBehavior,
        borderStyle: 'dotted',
        borderWidth: '0 0 1px 0',
        borderColor: new vscode.ThemeColor('textLink.foreground'),
      });
    case 'gutter':
      return vscode.window.createTextEditorDecorationType({
        rangeBehavior,
        gutterIconSize: '70%',
        light: { gutterIconPath: gutterIcon('#1a63b8') },
        dark: { gutterIconPath: gutterIcon('#6cb0f5') },
      });
  }
}

/** Returns an icon with a fixed color, because icons in the gutter cannot use theme colors. */
function gutterIcon(colour: string): vscode.Uri {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">' +
    `<circle cx="8" cy="8" r="6.5" fill="none" stroke="${colour}" stroke-width="1.5"/>` +
    `<circle cx="8" cy="4.9" r="1" fill="${colour}"/><path d="M8 7.2v4.6" stroke="${colour}" stroke-width="1.6"/></svg>`;
  return vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`);
}
