const substitute = '•••';
/** A shorter secret is part of many words: a text that contains it is not shown at all. */
const minReplaceableLength = 4;

/** Replaces each secret in a text, also where it is escaped as in JSON or in an address. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  const forms = [...new Set(secrets.flatMap(writtenForms))].filter((form) => form !== '');
  // The longest first: a secret can be part of another.
  forms.sort((a, b) => b.length - a.length);
  let redacted = text;
  for (const form of forms) {
    if (!redacted.includes(form)) continue;
    if (form.length < minReplaceableLength) return substitute;
    redacted = redacted.replaceAll(form, substitute);
  }
  return redacted;
}

function writtenForms(secret: string): string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  return [secret, escaped, JSON.stringify(escaped).slice(1, -1), encodeURIComponent(secret.toWellFormed())];
}
