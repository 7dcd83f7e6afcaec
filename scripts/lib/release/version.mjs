/**
 * @param {object} release
 * @param {string} release.version of package.json
 * @param {string | undefined} release.tag the one that was asked for
 * @param {readonly string[]} release.tags those of the commit that is checked out
 * @param {boolean} release.isDryRun a dry run comes before the tag
 * @returns {string[]} what keeps the version from being released
 */
export function versionProblems({ version, tag, tags, isDryRun }) {
  // The Marketplace takes no other versions; a pre-release is one with a flag.
  if (!/^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}$/.test(version)) {
    return [`package.json has the version "${version}": it has to be three numbers, such as 1.2.3`];
  }
  const expected = `v${version}`;
  const problems = [];
  if (tag !== undefined && tag !== expected)
    problems.push(`The tag ${tag} is not the version of package.json, ${version}`);
  const others = tags.filter((each) => /^v\d/.test(each) && each !== expected);
  if (others.length > 0) problems.push(`This commit is tagged ${others.join(', ')}, but package.json has ${version}`);
  if (!isDryRun && !tags.includes(expected)) problems.push(`This commit has no tag ${expected}: git tag ${expected}`);
  return problems;
}
