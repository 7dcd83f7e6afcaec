import { useState } from 'preact/hooks';
import { IconButton } from '../../../webview/browser/iconButton';
import { CopyIcon } from '../../../webview/browser/icons';
import type { Entry, Part } from '../../common/entries';
import { DiffView } from './diffView';
import { Disclosure } from './disclosure';
import { formatCountWithNoun, formatTextSize } from './format';
import { ImageView } from './imageView';
import { MarkdownText } from './markdownText';
import { PathButton } from './pathButton';
import { ShowAllButton, useCopyFull } from './showAll';
import { TerminalView } from './terminalView';
import { useDrawnEntry, useShortenPath, useTranscriptContext } from '../transcriptContext';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { UntrustedText } from './untrustedText';

interface PartProps {
  readonly part: Part;
  readonly index: number;
}

/** `isNamed`: see `DiffView`. */
export function PartView({ part, index, isNamed = false }: PartProps & { isNamed?: boolean }) {
  switch (part.type) {
    case 'text':
      return <TextPart part={part} index={index} />;
    case 'diff':
      return <DiffView part={part} index={index} isNamed={isNamed} />;
    case 'terminal':
      return <TerminalView part={part} index={index} />;
    case 'file':
      return <FilePart part={part} />;
    case 'image':
      return <ImageView {...part} />;
    case 'link':
      return <LinkPart part={part} />;
    case 'list':
      return <ListPart part={part} />;
    case 'json':
      return <JsonPart part={part} index={index} />;
  }
}

function partAt(entry: Entry, index: number): Part | undefined {
  if (entry.kind === 'media') return entry.part;
  return entry.kind === 'tool' ? entry.parts[index] : undefined;
}

type PartOf<Type extends Part['type']> = Extract<Part, { type: Type }>;

const roleNames = { task: 'Task', message: 'Message', report: 'Report' } as const;
/** A longer task is closed, in UTF-16 units: its title says what it is about. */
const maxOpenTaskLength = 600;

function TextPart({ part, index }: { part: PartOf<'text'>; index: number }) {
  const { text, plain: isPlain = false, omitted = 0, role } = part;
  if (role === 'about')
    return (
      <p class="about">
        <UntrustedText text={text} />
      </p>
    );
  if (role !== undefined) {
    const isOpen = role === 'report' || text.length <= maxOpenTaskLength;
    return (
      <Disclosure class={`words-${index} words`} isOpen={isOpen} summary={roleNames[role]}>
        <TextPart part={{ ...part, role: undefined }} index={index} />
      </Disclosure>
    );
  }
  if (isPlain) return <LongText text={text} omitted={omitted} />;
  return (
    <div class="text-part">
      <MarkdownText text={text} />
      {omitted > 0 && <ShowAllButton amount={formatTextSize(text.length + omitted)} isTruncated />}
    </div>
  );
}

const maxFoldedLines = 16;

/** Shows plain text. Only some lines are shown at first. `firstLine` is the 1-based number of the first line. */
function LongText({ text, omitted, firstLine }: { text: string; omitted: number; firstLine?: number | undefined }) {
  const [isWhole, setWhole] = useState(useDrawnEntry().isShownWhole);
  const lines = text.replace(/\r?\n$/, '').split('\n');
  const isCut = omitted > 0;
  const shown = isWhole ? lines : lines.slice(0, maxFoldedLines);
  return (
    <>
      <pre class="boxed scrolls" dir="ltr" tabIndex={0}>
        {firstLine === undefined ? (
          <UntrustedText text={shown.join('\n')} />
        ) : (
          shown.map((line, at) => (
            <span class="numbered" key={at} data-line={firstLine + at}>
              <UntrustedText text={`${line}\n`} />
            </span>
          ))
        )}
      </pre>
      {(isCut || (!isWhole && lines.length > maxFoldedLines)) && (
        <ShowAllButton
          amount={isCut ? formatTextSize(text.length + omitted) : formatCountWithNoun(lines.length, 'line')}
          isTruncated={isCut}
          onShow={() => setWhole(true)}
        />
      )}
    </>
  );
}

function FilePart({ part: { path, text, firstLine = 1, omitted = 0 } }: { part: PartOf<'file'> }) {
  return (
    <div class="file-part">
      <div class="part-head">
        <PathButton path={path} line={firstLine > 1 ? firstLine : undefined} />
      </div>
      <LongText text={text} omitted={omitted} firstLine={firstLine} />
    </div>
  );
}

function LinkPart({ part: { uri, title } }: { part: PartOf<'link'> }) {
  const { actions } = useTranscriptContext();
  return (
    <p class="link-part">
      <button type="button" class="link" title={showHiddenCharacters(uri)} onClick={() => actions.open(uri)}>
        <bdi>
          <UntrustedText text={title ?? uri} />
        </bdi>
      </button>
      {title !== undefined && title !== uri && (
        <span class="quiet" dir="ltr">
          <UntrustedText text={hostOf(uri)} />
        </span>
      )}
    </p>
  );
}

/** Returns the link's host in unambiguous characters, because its title may be misleading. */
function hostOf(uri: string): string {
  const host = URL.parse(uri)?.host ?? '';
  return host === '' ? uri : host;
}

/** Matches a path with an optional line and column, as in search results. */
const fileLinePattern = /^([^\s:]*[^\s:/\\]\.\w+|\/\S*[^\s:])(?::(\d+))?(?::\d+)?(?=:|\s|$)/;

function ListPart({ part: { items, omitted = 0 } }: { part: PartOf<'list'> }) {
  const [isWhole, setWhole] = useState(useDrawnEntry().isShownWhole);
  const shown = isWhole ? items : items.slice(0, maxFoldedLines);
  const isCut = omitted > 0;
  return (
    <>
      <ul class="list-part">
        {shown.map((item, index) => (
          <li key={index}>
            <ListItem item={item} />
          </li>
        ))}
      </ul>
      {(isCut || shown.length < items.length) && (
        <ShowAllButton
          amount={
            isCut
              ? formatTextSize(items.join('\n').length + omitted)
              : formatCountWithNoun(items.length, 'entry', 'entries')
          }
          isTruncated={isCut}
          onShow={() => setWhole(true)}
        />
      )}
    </>
  );
}

function ListItem({ item }: { item: string }) {
  const { actions } = useTranscriptContext();
  const short = useShortenPath();
  const [text, path, line] = fileLinePattern.exec(item) ?? [];
  if (text === undefined || path === undefined) return <UntrustedText text={item} />;
  return (
    <>
      <button
        type="button"
        class="link"
        title={showHiddenCharacters(path)}
        onClick={() => actions.open(path, line === undefined ? undefined : Number(line))}
      >
        <UntrustedText text={short(path) + text.slice(path.length)} />
      </button>
      <UntrustedText text={item.slice(text.length)} />
    </>
  );
}

function JsonPart({ part, index }: PartProps & { part: PartOf<'json'> }) {
  const { json, omitted = 0 } = part;
  const copy = useCopyFull(omitted);
  const jsonIn = (whole: Entry): string | undefined => {
    if (whole.kind === 'raw') return whole.json;
    const found = partAt(whole, index);
    return found?.type === 'json' ? found.json : undefined;
  };
  return (
    <div class="json-part boxed-part">
      <LongText text={json} omitted={omitted} />
      <IconButton label="Copy JSON" icon={CopyIcon} class="corner" onClick={() => copy(json, jsonIn)} />
    </div>
  );
}
