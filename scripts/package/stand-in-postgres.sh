#!/bin/sh
# What the image of PostgreSQL does at its start with what the compose files set: as root it reads the password,
# at the first start it makes the database and runs the scripts, and then it goes on as the user postgres.
set -e
data=/var/lib/postgresql/data
PATH="$(echo /usr/lib/postgresql/*/bin):$PATH"
as_postgres() { setpriv --reuid postgres --regid postgres --init-groups -- "$@"; }
cd /
install -d -o postgres -g postgres -m 700 "$data"
install -d -o postgres -g postgres -m 2775 /var/run/postgresql
if [ ! -s "$data/PG_VERSION" ]; then
	install -o postgres -m 400 "$POSTGRES_PASSWORD_FILE" /run/first-password
	as_postgres initdb -D "$data" --username "$POSTGRES_USER" --pwfile /run/first-password --auth-host scram-sha-256
	# Until it is complete, it can be reached within the container only.
	as_postgres pg_ctl -D "$data" -o "-c listen_addresses=''" -w start
	as_postgres createdb -U "$POSTGRES_USER" "$POSTGRES_USER"
	for script in /docker-entrypoint-initdb.d/*.sql; do
		[ ! -e "$script" ] || as_postgres psql -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -f "$script"
	done
	as_postgres pg_ctl -D "$data" -m fast -w stop
	echo 'host all all all scram-sha-256' >> "$data/pg_hba.conf"
fi
exec setpriv --reuid postgres --regid postgres --init-groups -- postgres -D "$data" -c listen_addresses='*'
