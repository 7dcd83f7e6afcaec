import { parseJson } from '../../../base/common/parseJson';

/** Shorter ones would be found in ordinary text, and are no secrets. */
const minSecretLength = 6;
const replacement = '[key]';

/**
 * Takes secrets out of what a server says, which may echo what it was sent. Finds them as they are, escaped as in JSON (also in
 * JSON within JSON), and percent-encoded.
 */
export class SecretRedactor {
  private readonly patterns = new Map<string, Pattern>();

  add(secret: string | undefined): void {
    if (secret === undefined || secret.length < minSecretLength || this.patterns.has(secret)) return;
    this.patterns.set(secret, patternOf(secret));
  }

  text(text: string): string {
    let result = text;
    for (const { whole } of this.patterns.values()) result = result.replace(whole, replacement);
    return result;
  }

  /** How much of the end of a text may be the beginning of a secret: what follows will tell. In UTF-16 units. */
  openLength(text: string): number {
    let length = 0;
    for (const { begun, maxLength } of this.patterns.values()) {
      length = Math.max(length, begun.exec(text.slice(-maxLength))?.[0].length ?? 0);
    }
    return length;
  }

  /** Of text that may be JSON; what was JSON stays JSON. */
  json(text: string): string {
    if (this.text(text) === text) return text;
    const json = parseJson(text);
    return json === undefined ? this.text(text) : JSON.stringify(this.value(json));
  }

  private value(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [this.text(name), this.value(member)]));
  }
}

interface Pattern {
  readonly whole: RegExp;
  /** At the end of a text, as much of the secret as is there, but not all. */
  readonly begun: RegExp;
  readonly maxLength: number;
}

/** What a disguise may begin with. */
const half = '(?:(?:\\\\{1,8}(?:u[\\da-fA-F]{0,4})?){1,2}|(?:%[\\da-fA-F]{0,2}){1,4})';
/** The longest disguise of a character: eight backslashes and a code unit. */
const maxDisguiseLength = 13;

/** Every character of the secret in each of its disguises; the run of backslashes is bounded, so that no text is read twice. */
function patternOf(secret: string): Pattern {
  const parts = Array.from(secret, (one) => `(?:\\\\{0,8}(?:${disguises(one)})|${percent(one)})`);
  const begun = parts.slice(0, -1).reduceRight((rest, part) => (rest === '' ? part : `${part}(?:${rest})?`), '');
  return {
    whole: new RegExp(parts.join(''), 'gu'),
    begun: new RegExp(`(?:${begun})?${half}?$`, 'u'),
    maxLength: secret.length * maxDisguiseLength,
  };
}

function disguises(character: string): string {
  const escaped = [...Array(character.length).keys()].map((at) => {
    const digits = character.charCodeAt(at).toString(16).padStart(4, '0');
    return `${at === 0 ? '' : '\\\\{1,8}'}u${anyCase(digits)}`;
  });
  return `${literal(character)}|${escaped.join('')}`;
}

function percent(character: string): string {
  if (/[\uD800-\uDFFF]/u.test(character)) return literal(character);
  const bytes = encodeURIComponent(character);
  if (bytes !== character) return anyCase(bytes);
  return `%${anyCase(character.charCodeAt(0).toString(16).padStart(2, '0'))}`;
}

function anyCase(digits: string): string {
  return digits.replace(/[a-f]/giu, (digit) => `[${digit.toLowerCase()}${digit.toUpperCase()}]`);
}

function literal(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
}
