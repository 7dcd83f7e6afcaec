import { hasReviewComments } from '../skills/answerComments';
import type { Prompt } from './prompt';

/** The action that a prompt requests. `path` is not resolved yet. */
type Intent =
  | { readonly kind: 'comments' | 'help' | 'plan' | 'quote' | 'review' | 'unknown' }
  | { readonly kind: 'summarize'; readonly paths: readonly string[] }
  | {
      readonly kind: 'rename' | 'renameEverywhere';
      readonly from: string;
      readonly to: string;
      readonly path: string | undefined;
    }
  | { readonly kind: 'read'; readonly path: string }
  | { readonly kind: 'sort'; readonly path: string | undefined }
  | { readonly kind: 'uses'; readonly symbol: string; readonly path: string | undefined }
  | { readonly kind: 'run'; readonly line: string }
  | { readonly kind: 'shell'; readonly command: string }
  | { readonly kind: 'write'; readonly text: string; readonly path: string }
  | { readonly kind: 'slow'; readonly words: number }
  | { readonly kind: 'fail'; readonly how: string };

interface Command {
  readonly name: string;
  readonly description: string;
  readonly hint?: string;
}

export const demoCommands: readonly Command[] = [
  { name: 'help', description: 'Show what the demo agent can do' },
  { name: 'summarize', description: 'Count the lines, declarations and TODOs in a file', hint: 'path' },
  { name: 'rename', description: 'Rename a word in a file, with your permission', hint: 'old to new in path' },
  { name: 'sort', description: 'Sort the imports of a file, with your permission', hint: 'path' },
  { name: 'uses', description: 'Find the uses of a symbol with the editor’s language server', hint: 'symbol in path' },
  { name: 'run', description: "Run a command in the client's terminal", hint: 'command' },
  {
    name: 'shell',
    description: 'Run a shell command without the editor, as many agents do',
    hint: 'command',
  },
  { name: 'write', description: 'Write a file without the editor', hint: 'text in path' },
  { name: 'slow', description: 'Answer slowly, word by word, to try the stop button', hint: 'number of words' },
  { name: 'plan', description: 'Show a plan that advances' },
  { name: 'fail', description: 'Fail on purpose', hint: 'error, crash or hang' },
];

const defaultSlowWords = 60;
const maxSlowWords = 5000;

/** Applies the first matching rule: a slash command, the first words, or attached files and texts. */
export function recognizeIntent({ text, files, notes }: Prompt): Intent {
  const slash = /^\/(\w+)\s*([\s\S]*)$/.exec(text);
  if (slash) return commandIntent((slash[1] ?? '').toLowerCase(), (slash[2] ?? '').trim());

  if (notes.some(hasReviewComments)) return { kind: 'comments' };
  if (/^review these changes\b/i.test(text)) return { kind: 'review' };
  const run = /^run:?\s+(\S[\s\S]*)$/i.exec(text);
  if (run) return { kind: 'run', line: (run[1] ?? '').trim() };
  const read = /^read\s+(\S+)$/i.exec(text);
  if (read) return { kind: 'read', path: read[1] ?? '' };
  const rename = /^rename\s+(\S[\s\S]*)$/i.exec(text);
  if (rename) return commandIntent('rename', rename[1] ?? '');
  const sort = /^sort\s+(?:the\s+)?imports\b\s*(?:(?:in|of)\s+)?([\s\S]*)$/i.exec(text);
  if (sort) return commandIntent('sort', sort[1] ?? '');
  const uses = /^(?:who|what)\s+uses\s+(\S[\s\S]*)$/i.exec(text);
  if (uses) return commandIntent('uses', uses[1] ?? '');
  if (/^slow(?:ly)?\b/i.test(text)) return commandIntent('slow', /\d+/.exec(text)?.[0] ?? '');
  if (/^plan\b/i.test(text)) return { kind: 'plan' };

  // Mentions of attachments are removed, because their titles may look like paths.
  const paths = notes.length > 0 && !/^summari[sz]e\b/i.test(text) ? [] : pathsIn(text);
  if (files.length > 0 || paths.length > 0) return { kind: 'summarize', paths };
  if (notes.length > 0) return { kind: 'quote' };
  if (/^(?:hi|hello|hey|help|good \w+|what can you do)\b/i.test(text) || text === '') return { kind: 'help' };
  return { kind: 'unknown' };
}

function commandIntent(name: string, rest: string): Intent {
  switch (name) {
    case 'help':
    case 'plan':
      return { kind: name };
    case 'summarize':
    case 'summarise':
      return { kind: 'summarize', paths: rest === '' ? [] : [rest] };
    case 'rename': {
      const words = /^(\S+)\s+(?:to|->|→)\s+(\S+)(?:\s+in\s+([\s\S]+?))?(\s+everywhere)?$/i.exec(rest.trim());
      if (!words) return { kind: 'unknown' };
      const [, from = '', to = '', path, everywhere] = words;
      const kind = everywhere === undefined ? 'rename' : 'renameEverywhere';
      return { kind, from: unquoted(from), to: unquoted(to), path };
    }
    case 'sort':
      return { kind: 'sort', path: rest.replace(/^imports\s+(?:(?:in|of)\s+)?/i, '').trim() || undefined };
    case 'uses': {
      const words = /^(\S+?)\??(?:\s+in\s+([\s\S]+?)\??)?$/i.exec(rest.trim());
      return words ? { kind: 'uses', symbol: unquoted(words[1] ?? ''), path: words[2] } : { kind: 'unknown' };
    }
    case 'run':
      return rest === '' ? { kind: 'unknown' } : { kind: 'run', line: rest };
    case 'shell':
      return rest === '' ? { kind: 'unknown' } : { kind: 'shell', command: rest };
    case 'write': {
      // The path follows the last “in”, because the text may contain the word, too.
      const words = /^([\s\S]+)\s+in\s+(\S.*)$/i.exec(rest);
      return words ? { kind: 'write', text: words[1] ?? '', path: words[2] ?? '' } : { kind: 'unknown' };
    }
    case 'slow': {
      const words = /^\d+$/.test(rest) ? Number(rest) : defaultSlowWords;
      return { kind: 'slow', words: Math.min(words, maxSlowWords) };
    }
    case 'fail':
      return { kind: 'fail', how: rest };
    default:
      return { kind: 'unknown' };
  }
}

/** Returns the words that look like a path: `@name`, a word with a slash, or a name with an extension. */
function pathsIn(text: string): string[] {
  const words = text.split(/\s+/).map((word) => word.replace(/^[`'"(<]+|[`'")>,;:?!.]+$/g, ''));
  return words.filter(
    (word) => !/^https?:/i.test(word) && /^(?:@\S+|file:\S+|\S*[\\/]\S*\w|[\w.-]*\w\.[A-Za-z]\w{0,7})$/.test(word),
  );
}

function unquoted(word: string): string {
  return word.replace(/^[`'"]|[`'"]$/g, '');
}
