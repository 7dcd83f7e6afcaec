import { decodePercentEscapes } from '../../../../base/common/addresses/fileUri';

/** Decides which links in an answer are allowed: web pages and files. Other links stay text. */

export interface LinkTarget {
  /** An `http(s):` or `file:` URI, or a path. */
  readonly target: string;
  /** 1-based, as is the column. */
  readonly line?: number;
  readonly column?: number;
}

const maxTargetUnits = 4_096;
const lineSuffix = /(?::(\d{1,7})(?::(\d{1,7}))?(?:[:-]\d{1,7})*|#L(\d{1,7})(?:C(\d{1,7}))?(?:-L?\d{1,7}(?:C\d+)?)?)$/;
const schemePattern = /^([a-z][a-z0-9+.-]*):/i;
const controlOrSpace = /[\p{Cc}\u2028\u2029]/u;
const drivePrefix = /^[a-z]:[\\/]/i;
const fileNamePattern = /^[^\s:*?"<>|]*[^\s:*?"<>|/\\.][^\s:*?"<>|/\\]*\.[a-z][\w-]{0,11}$/i;
const extensionlessName = /(?:^|[\\/])(?:Makefile|Dockerfile|LICENSE|README)$/;

/** Parses a link. Returns undefined if it is not allowed. `href` is the address as written, with entities decoded. */
export function parseLinkTarget(href: string): LinkTarget | undefined {
  const decoded = decodePercentEscapes(href.trim());
  if (decoded === '' || decoded.length > maxTargetUnits || controlOrSpace.test(decoded)) return undefined;
  const found = schemePattern.exec(decoded)?.[1]?.toLowerCase();
  if (found === 'http' || found === 'https') return parseWebTarget(href.trim());
  if (found === 'file') return parseFileUri(href.trim());
  return parsePath(decoded);
}

/** Parses inline code. Accepts only a file with a line number, or a file in a folder. */
export function parsePathInCode(text: string): LinkTarget | undefined {
  if (text.length > 400 || /\s/.test(text)) return undefined;
  const found = parseLinkTarget(text);
  if (!found || schemePattern.test(found.target)) return undefined;
  const { target, line } = found;
  const isFile = fileNamePattern.test(target.replace(drivePrefix, '')) || extensionlessName.test(target);
  return isFile && (line !== undefined || /[\\/]/.test(target)) ? found : undefined;
}

/** Returns the complete target. Host names are written in unambiguous characters. */
export function linkTitle({ target, line, column }: LinkTarget): string {
  const text = /^https?:/i.test(target) ? (URL.parse(target)?.href ?? target) : target;
  return [text, line, column].filter((part) => part !== undefined).join(':');
}

/** Decodes percent escapes, except where that would change the meaning of the address. */
export function toReadableAddress(address: string): string {
  return address.replace(/(?:%[\da-f]{2})+/gi, (codes) => {
    try {
      return decodeURI(codes.replaceAll('%25', '%2525'));
    } catch {
      return codes;
    }
  });
}

function parseWebTarget(href: string): LinkTarget | undefined {
  const url = URL.parse(href);
  return url && url.hostname !== '' ? { target: href } : undefined;
}

/** Parses a `file:` URI. Rejects files on other hosts, because accessing them sends the user's credentials there. */
function parseFileUri(href: string): LinkTarget | undefined {
  const { rest, line } = splitLineSuffix(href);
  const url = URL.parse(rest);
  if (!/^file:\/\//i.test(rest) || !url || (url.hostname !== '' && url.hostname !== 'localhost')) return undefined;
  if (/^\/[\\/]/.test(decodePercentEscapes(url.pathname))) return undefined;
  return { target: rest, ...line };
}

function parsePath(text: string): LinkTarget | undefined {
  const { rest, line } = splitLineSuffix(text);
  const isDrive = drivePrefix.test(rest);
  if (!isDrive && (/^[\\/]{2}/.test(rest) || rest.includes(':'))) return undefined;
  // In `javascript:1`, `:1` is not a line number but part of a URI.
  if (line && !/[./\\]/.test(rest)) return undefined;
  if (rest === '' || /^[#?]/.test(rest)) return undefined;
  return { target: rest.replace(/#.*$/, ''), ...line };
}

function splitLineSuffix(text: string): { rest: string; line?: Pick<LinkTarget, 'line' | 'column'> } {
  const match = lineSuffix.exec(text);
  if (!match) return { rest: text };
  const [line, column] = [Number(match[1] ?? match[3]), Number(match[2] ?? match[4])];
  return {
    rest: text.slice(0, match.index),
    ...(line > 0 ? { line: { line, ...(column > 0 ? { column } : {}) } } : {}),
  };
}
