import { blockWith } from './hosting.ts';

/** Asks a proxy, as a reader on this machine would: prints the status, and the header that asks for https. */
const ask = `
for try in $(seq 100); do
  answer=$(curl -sk --resolve blog.example:443:127.0.0.1 -D - https://blog.example/login -o /dev/null | tr -d '\\r')
  case "$answer" in *" 200"*) break;; esac
  sleep 0.1
done
printf '%s\\n' "$answer" | grep -iE '^(HTTP|strict-transport)'
`;

/**
 * A script for a Debian with Caddy, nginx, curl and the installed package, in a network of its own: the
 * proxies of docs/hosting.md, word for word, before the service. What they need besides stands around them:
 * certificates of their own, as nobody gives out one for blog.example.
 */
export const proxyScript = `set -e
ip link set lo up
sed -i '/^PORT=/d' /etc/coterie/coterie.env
echo "PUBLIC_URL='https://blog.example'" >> /etc/coterie/coterie.env
coterie start > /tmp/coterie.log 2>&1 &
cat > /tmp/Caddyfile <<'END'
{
	local_certs
	skip_install_trust
	admin off
}
${blockWith('\n\treverse_proxy 127.0.0.1:3000')}
END
XDG_DATA_HOME=/tmp caddy run --config /tmp/Caddyfile --adapter caddyfile > /tmp/caddy.log 2>&1 &
caddy=$!
echo Caddy; ${ask}
kill $caddy; wait $caddy || true
openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=blog.example -keyout /tmp/key -out /tmp/certificate 2> /tmp/openssl.log
cat > /tmp/nginx.conf <<'END'
error_log /tmp/nginx.log;
pid /tmp/nginx.pid;
events {}
http {
access_log off;
ssl_certificate /tmp/certificate;
ssl_certificate_key /tmp/key;
${blockWith('server_name blog.example')}
}
END
nginx -c /tmp/nginx.conf
echo nginx; ${ask}
`;
