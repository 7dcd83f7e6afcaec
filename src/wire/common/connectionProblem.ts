interface CertificateProblem {
  /** The end of a sentence that starts with "its certificate", with the error code. */
  readonly what: string;
  /** What the user can do, as whole sentences. */
  readonly advice: string;
}

const howToTrust =
  'If you trust it, add the certificate of its authority to the certificates of the operating system, or set the environment variable NODE_EXTRA_CA_CERTS to the path of its PEM file. Then restart VS Code.';
const askOperator = 'Ask the operator of the server for a valid certificate.';
const untrusted = { what: 'was issued by an authority that this machine does not trust', advice: howToTrust };
const otherHost = { what: 'is for another host', advice: 'Check the host name in the URL.' };

const certificateProblems: ReadonlyMap<string, CertificateProblem> = new Map([
  ['CERT_HAS_EXPIRED', { what: 'has expired', advice: askOperator }],
  [
    'CERT_NOT_YET_VALID',
    { what: 'is not valid yet according to this machine’s clock', advice: 'Check the date of this machine.' },
  ],
  ['CERT_REVOKED', { what: 'was revoked', advice: askOperator }],
  ['CERT_UNTRUSTED', untrusted],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', { what: 'is self-signed', advice: howToTrust }],
  ['SELF_SIGNED_CERT_IN_CHAIN', untrusted],
  ['UNABLE_TO_GET_ISSUER_CERT', untrusted],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', untrusted],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', untrusted],
  ['ERR_TLS_CERT_ALTNAME_INVALID', otherHost],
  ['HOSTNAME_MISMATCH', otherHost],
]);

/** Explains why a server's certificate was rejected. Undefined for other errors. */
export function certificateProblemOf(code: string | undefined): CertificateProblem | undefined {
  const problem = certificateProblems.get(code ?? '');
  return problem && { ...problem, what: `${problem.what} (${code ?? ''})` };
}

/**
 * Explains that the proxy in VS Code's settings did not take a connection, as whole sentences. Undefined for other errors.
 * VS Code's error has no code, and its text may contain the password of the proxy.
 */
export function proxyProblemOf(error: unknown): string | undefined {
  const isOfProxy =
    error instanceof Error && error.message.startsWith('Failed to establish a socket connection to proxies');
  return isOfProxy ? 'The proxy could not be reached. Check the VS Code setting http.proxy.' : undefined;
}

/** What a user can do about HTTP status 407. */
export const proxySignInAdvice =
  'The proxy requires you to sign in. Set it with its user name in the VS Code setting http.proxy.';
