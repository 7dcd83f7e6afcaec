const problems: ReadonlyMap<string, string> = new Map([
  ['CERT_HAS_EXPIRED', 'has expired'],
  ['CERT_NOT_YET_VALID', 'is not valid yet according to this machine’s clock'],
  ['CERT_REVOKED', 'was revoked'],
  ['CERT_UNTRUSTED', 'was issued by an authority that this machine does not trust'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'is self-signed'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'was issued by an authority that this machine does not trust'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'was issued by an authority that this machine does not trust'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'was issued by an authority that this machine does not trust'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'was issued by an authority that this machine does not trust'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'is for another host'],
  ['HOSTNAME_MISMATCH', 'is for another host'],
]);

/**
 * Returns why a server certificate was rejected, as the end of a sentence that starts with "its certificate". Undefined
 * for other errors.
 */
export function describeCertificateProblem(code: string | undefined): string | undefined {
  const problem = problems.get(code ?? '');
  return problem === undefined ? undefined : `${problem} (${code ?? ''})`;
}
