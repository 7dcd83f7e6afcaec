/** A package with an exact version. */
export interface PackageSpec {
  readonly name: string;
  readonly version: string;
}

const npmName = '(?:@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*';
const exactVersion = '\\d+\\.\\d+\\.\\d+(?:-[0-9A-Za-z.-]+)?(?:\\+[0-9A-Za-z.-]+)?';
const npmSpec = new RegExp(`^(?<name>${npmName})@(?<version>${exactVersion})$`);

/** Versions of PEP 440 that name one release; no ranges and no wildcards. */
const pythonSpec =
  /^(?<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:\[[A-Za-z0-9._,-]+\])?)(?:@|==)(?<version>\d[0-9A-Za-z.!+]*)$/;

/** Reads `name@1.2.3` of npm. Undefined for ranges, tags, addresses and packages without a version. */
export function parseNpmSpec(spec: string): PackageSpec | undefined {
  return toSpec(npmSpec.exec(spec));
}

/** Reads `name@1.2.3` or `name==1.2.3` of Python. Undefined for everything else. */
export function parsePythonSpec(spec: string): PackageSpec | undefined {
  return toSpec(pythonSpec.exec(spec));
}

function toSpec(match: RegExpExecArray | null): PackageSpec | undefined {
  const { name, version } = match?.groups ?? {};
  return name === undefined || version === undefined || name.length > 214 || version.length > 128
    ? undefined
    : { name, version };
}
