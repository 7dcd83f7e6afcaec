import assert from 'node:assert/strict';
import { networkEnvironment } from '../../../src/wire/common/networkEnvironment';

const settings = {
  proxy: 'http://proxy:1',
  noProxy: ['inside'],
  trustsSystemCertificates: true,
  verifiesCertificates: true,
};

describe('the environment of npm and uv', () => {
  it('has VS Code’s proxy and certificates', () =>
    assert.deepEqual(networkEnvironment({ PATH: '/bin' }, settings), {
      NODE_USE_SYSTEM_CA: '1',
      UV_NATIVE_TLS: 'true',
      HTTPS_PROXY: 'http://proxy:1',
      HTTP_PROXY: 'http://proxy:1',
      NO_PROXY: 'inside,localhost,127.0.0.1,::1',
      PATH: '/bin',
    }));

  for (const name of ['HTTPS_PROXY', 'http_proxy', 'npm_config_https_proxy', 'npm_config_proxy'])
    it(`keeps the user’s own proxy in ${name}`, () => {
      const { HTTPS_PROXY, [name]: own } = networkEnvironment({ [name]: 'http://own' }, settings);
      assert.deepEqual([HTTPS_PROXY, own], [name === 'HTTPS_PROXY' ? 'http://own' : undefined, 'http://own']);
    });

  it('only trusts everything if the setting says so', () => {
    assert.equal(networkEnvironment({}, settings)['npm_config_strict_ssl'], undefined);
    const { npm_config_strict_ssl: isStrict, ...others } = networkEnvironment(
      {},
      {
        ...{ proxy: '', noProxy: [], trustsSystemCertificates: false, verifiesCertificates: false },
      },
    );
    assert.deepEqual([isStrict, others], ['false', {}]);
  });
});
