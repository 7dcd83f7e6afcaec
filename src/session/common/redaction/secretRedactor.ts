import { isRecord } from '../../../base/common/isRecord';
import { parseJson } from '../../../base/common/parseJson';
import { escapeRegExp } from '../../../base/common/text/escapeRegExp';

/** Minimum length of a secret. Shorter strings also occur in ordinary text. */
const minSecretLength = 6;
const replacement = '[key]';

/** Redacts secrets that a peer may repeat: unchanged, JSON-escaped (also nested) or percent-encoded. */
export class SecretRedactor {
  private readonly patternBySecret = new Map<string, Pattern>();

  addSecret(secret: string | undefined): void {
    if (secret === undefined || secret.length < minSecretLength || this.patternBySecret.has(secret)) return;
    this.patternBySecret.set(secret, patternOf(secret));
  }

  /** Whether there is nothing to redact. */
  get isEmpty(): boolean {
    return this.patternBySecret.size === 0;
  }

  redactText(text: string): string {
    let result = text;
    for (const { whole } of this.patternBySecret.values()) result = result.replace(whole, replacement);
    return result;
  }

  /** Returns the length of the end of `text` that may be the start of a secret, in UTF-16 units. */
  partialSecretLength(text: string): number {
    let length = 0;
    for (const { begun, maxLength } of this.patternBySecret.values()) {
      length = Math.max(length, begun.exec(text.slice(-maxLength))?.[0].length ?? 0);
    }
    return length;
  }

  /** Redacts text that may be JSON. Valid JSON stays valid. */
  redactJson(text: string): string {
    if (this.redactText(text) === text) return text;
    const json = parseJson(text);
    return json === undefined ? this.redactText(text) : JSON.stringify(this.redactValue(json));
  }

  /** Redacts all texts of a JSON object, names of members included. Members named `unchanged` stay as they are. */
  redactRecord(
    record: Readonly<Record<string, unknown>>,
    unchangedNames: ReadonlySet<string> = new Set(),
  ): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(record).map(([name, member]) =>
        unchangedNames.has(name) ? [name, member] : [this.redactText(name), this.redactValue(member, unchangedNames)],
      ),
    );
  }

  private redactValue(value: unknown, unchangedNames?: ReadonlySet<string>): unknown {
    if (typeof value === 'string') return this.redactText(value);
    if (Array.isArray(value)) return value.map((item) => this.redactValue(item, unchangedNames));
    return isRecord(value) ? this.redactRecord(value, unchangedNames) : value;
  }
}

interface Pattern {
  readonly whole: RegExp;
  readonly begun: RegExp;
  readonly maxLength: number;
}

/** Matches an incomplete escape sequence at the end. */
const half = '(?:(?:\\\\{1,8}(?:u[\\da-fA-F]{0,4})?){1,2}|(?:%[\\da-fA-F]{0,2}){1,4})';
/** Maximum length of an encoded character: eight backslashes and an escaped code unit, in UTF-16 units. */
const maxEncodedLength = 13;

/** Matches each character in all of its encodings. Limits backslashes to avoid backtracking. */
function patternOf(secret: string): Pattern {
  const parts = Array.from(secret, (character) => `(?:\\\\{0,8}(?:${escapes(character)})|${percent(character)})`);
  const begun = parts.slice(0, -1).reduceRight((rest, part) => (rest === '' ? part : `${part}(?:${rest})?`), '');
  return {
    whole: new RegExp(parts.join(''), 'gu'),
    begun: new RegExp(`(?:${begun})?${half}?$`, 'u'),
    maxLength: secret.length * maxEncodedLength,
  };
}

function escapes(character: string): string {
  const escaped = [...Array(character.length).keys()].map((index) => {
    const digits = character.charCodeAt(index).toString(16).padStart(4, '0');
    return `${index === 0 ? '' : '\\\\{1,8}'}u${anyCase(digits)}`;
  });
  return `${escapeRegExp(character)}|${escaped.join('')}`;
}

function percent(character: string): string {
  if (/[\uD800-\uDFFF]/u.test(character)) return escapeRegExp(character);
  const bytes = encodeURIComponent(character);
  if (bytes !== character) return anyCase(bytes);
  return `%${anyCase(character.charCodeAt(0).toString(16).padStart(2, '0'))}`;
}

function anyCase(digits: string): string {
  return digits.replace(/[a-f]/giu, (digit) => `[${digit.toLowerCase()}${digit.toUpperCase()}]`);
}
