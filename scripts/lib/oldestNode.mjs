/**
 * The oldest Node.js that builds Backline and runs its programs, as `major.minor`. README.md names it, and a test runs the
 * programs with it. The extension itself runs on VS Code's own Node.js, which is newer.
 */
export const oldestNode = '20.19';

/**
 * @param {string} version such as 20.19.2
 * @param {string} oldest
 */
export function isTooOld(version, oldest = oldestNode) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split('.').map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}

/** @param {string} version the one that is too old */
export function tooOldMessage(version) {
  return `Backline needs Node.js ${oldestNode} or newer, and this is ${version}: install a newer one from https://nodejs.org.`;
}

/**
 * The first lines of each program. They run on any Node.js since version 4, so that an old one can say so, and add what the oldest
 * one lacks. "use strict" only counts in the first line.
 */
const prelude = `"use strict";
(function () {
  var version = process.versions.node;
  var parts = version.split('.').map(Number);
  var oldest = ${JSON.stringify(oldestNode)}.split('.').map(Number);
  if (parts[0] < oldest[0] || (parts[0] === oldest[0] && parts[1] < oldest[1])) {
    console.error(${JSON.stringify(tooOldMessage('VERSION'))}.replace('VERSION', version));
    process.exit(1);
  }
  function add(owner, name, value) {
    if (!owner[name]) Object.defineProperty(owner, name, { value: value, writable: true, configurable: true });
  }
  add(Promise, 'withResolvers', function () {
    var made = {};
    made.promise = new this(function (resolve, reject) {
      made.resolve = resolve;
      made.reject = reject;
    });
    return made;
  });
  add(URL, 'parse', function (text, base) {
    try {
      return new URL(text, base);
    } catch (error) {
      return null;
    }
  });
  add(Map, 'groupBy', function (items, keyOf) {
    var groups = new Map();
    var index = 0;
    for (var item of items) {
      var key = keyOf(item, index++);
      if (groups.has(key)) groups.get(key).push(item);
      else groups.set(key, [item]);
    }
    return groups;
  });
})();`;

/**
 * How a program for the user's own Node.js is built. Its syntax is that of an older Node.js than the oldest one, since a file that
 * cannot be parsed cannot say why.
 * @param {Record<string, string>} entryPoints
 * @returns {import('./bundles/workerBundle.mjs').ProgramBundle}
 */
export function ownNodeBundle(entryPoints) {
  return {
    entryPoints,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node14.18',
    banner: { js: prelude },
  };
}
