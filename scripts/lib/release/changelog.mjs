const heading = /^## (.+)$/gm;
const released = /^\[?(\d+\.\d+\.\d+)\]?(?: (?:-|–) (\S+))?$/;

/**
 * What the changelog says of a version that is to be released.
 * @param {string} changelog
 * @param {string} version
 * @returns {{ notes: string, date: string | undefined, problems: string[] }} `notes` has the section without its heading; problems keep
 *   the version from being released
 */
export function readRelease(changelog, version) {
  const sections = sectionsOf(changelog.replaceAll('\r\n', '\n'));
  const unreleased = sections.find(({ title }) => /^\[?unreleased\]?$/i.test(title));
  const versions = sections.filter((section) => section !== unreleased);
  const found = versions.find(({ title }) => released.exec(title)?.[1] === version);
  if (!found) {
    const problem = `CHANGELOG.md has no "## ${version} - <date>": move what is under Unreleased below such a heading`;
    return { notes: '', date: undefined, problems: [problem] };
  }
  const date = released.exec(found.title)?.[2];
  const problems = [];
  if (date === undefined) problems.push(`CHANGELOG.md has no date for ${version}: write "## ${version} - 2026-01-31"`);
  else if (!isDate(date)) problems.push(`CHANGELOG.md has "${date}" as the date of ${version}: write it as 2026-01-31`);
  if (found.text === '') problems.push(`CHANGELOG.md says nothing about ${version}`);
  if (versions[0] !== found) problems.push(`CHANGELOG.md has ${versions[0]?.title ?? ''} above ${version}`);
  if (unreleased && withoutHeadings(unreleased.text) !== '') {
    problems.push(`CHANGELOG.md still has something under Unreleased: move it to ${version}, which it is part of`);
  }
  return { notes: found.text, date, problems };
}

/** @param {string} changelog */
function sectionsOf(changelog) {
  const headings = [...changelog.matchAll(heading)];
  return headings.map((match, index) => ({
    title: (match[1] ?? '').trim(),
    text: changelog.slice(match.index + match[0].length, headings[index + 1]?.index).trim(),
  }));
}

/** @param {string} text */
function withoutHeadings(text) {
  return text.replace(/^#.*$/gm, '').trim();
}

/** @param {string} text */
function isDate(text) {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
