#!/bin/bash
# Runs the scripts of the YunoHost package in a Debian root, with the helpers in yunohost-helpers.sh, along
# YunoHost's own checks: two sites on one machine, an upgrade, backup and restore, a change of address, removal.
# yunohost.sh PACKAGE ARCHIVE PORT OTHER_PORT; the two ports are free.
set -eu
package=$1 archive=$2
export archive admin=mina.harker password='quincey morris'

use() { export app=$1 domain=$2 port=$3 install_dir=/var/www/$1 data_dir=/home/yunohost.app/$1; }
# What YunoHost makes of `resources` in the manifest, before a script.
provision() {
    id -u "$app" > /dev/null 2>&1 || useradd --system --no-create-home --user-group "$app"
    install -d -m 750 -o "$app" -g "$app" "$install_dir" "$data_dir"
}
run() { (cd "$package/scripts" && bash -eu "./$1"); }
must_show() { curl -sf -H "Host: $domain" "http://127.0.0.1:$port/" | grep -q "$1" || { echo "$app: no $1" && exit 1; }; }
write() {
    mkdir -p "/tmp/posts-$app"
    printf -- '---\ntitle: %s\n---\nWritten on %s.\n' "$1" "$app" > "/tmp/posts-$app/post.md"
    (cd / && SETTINGS_FILE=$install_dir/env setpriv --reuid "$app" --regid "$app" --clear-groups -- \
        "$install_dir/coterie" import "/tmp/posts-$app" > /dev/null)
}
must_leave_nothing() { [[ -z $(find /etc/nginx/conf.d /etc/systemd/system -name "$app.*") ]]; }

use coterie__2 b.example "$4"
provision && run install && write 'The other site'
use coterie a.example "$3"
provision && run install && write 'The first post'
must_show 'The first post'

echo "SITE_TITLE='Kept by upgrades'" >> "$install_dir/env"
run upgrade
must_show 'Kept by upgrades'
must_show 'The first post'

mkdir -p /backup/coterie
ln -sfn "$package" /backup/settings
(cd /backup/coterie && bash -eu ../settings/scripts/backup)
run remove && must_leave_nothing
rm -r "$install_dir" "$data_dir"
provision
(cd /backup/coterie && bash -eu ../settings/scripts/restore)
must_show 'The first post'

export old_domain=a.example new_domain=c.example
use coterie c.example "$3"
run change_url
grep -q '^PUBLIC_URL=https://c.example$' "$install_dir/env" && grep -q "coterie@c.example'" "$install_dir/env"
must_show 'The first post'
must_show 'Kept by upgrades'
run remove && must_leave_nothing

use coterie__2 b.example "$4"
must_show 'The other site'
run remove && must_leave_nothing
echo 'two sites, upgraded, restored, moved and removed'
