#!/bin/bash
# What the scripts in deploy/shops/yunohost use of YunoHost, done plainly, so that they run without it: in a
# Debian root, for scripts/package/yunohost.sh.

fill() {
    sed -e "s|__APP__|$app|g; s|__PORT__|$port|g; s|__DOMAIN__|$domain|g" \
        -e "s|__DATA_DIR__|$data_dir|g; s|__INSTALL_DIR__|$install_dir|g" "$1" > "$2"
}
# The value of --NAME=VALUE among arguments.
option() {
    local name=$1 given
    shift
    for given; do [[ $given != "--$name="* ]] || printf '%s' "${given#*=}"; done
}
ynh_script_progression() { echo "$app: $*"; }
ynh_print_info() { echo "$app: $*"; }
ynh_hide_warnings() { "$@" 2> /dev/null; }
yunohost() { [[ $2 != status ]] || return 1; }
ynh_user_get_info() { if [[ $(option key "$@") == mail ]]; then echo mina@example.com; else echo 'Mina Harker'; fi; }
ynh_exec_as_app() { setpriv --reuid "$app" --regid "$app" --clear-groups -- "$@"; }
ynh_safe_rm() { rm -rf "$1"; }
# What YunoHost does to all that it unpacks, restores or fills: only the user of the site can read it.
apply_permissions() {
    chmod -R u=rwX,g=rX,o=--- "$1"
    chown -R "$app:$app" "$1"
}
ynh_setup_source() {
    local folder kept
    folder=$(option dest_dir "$@")
    kept=$(option keep "$@")
    [[ -z $kept ]] || cp -p "$folder/$kept" "/tmp/kept-$app"
    [[ " $* " != *' --full_replace '* ]] || rm -rf "${folder:?}"
    mkdir -p "$folder"
    tar -xzf "$archive" -C "$folder" --strip-components=1
    [[ -z $kept ]] || mv "/tmp/kept-$app" "$folder/$kept"
    apply_permissions "$folder"
}
ynh_config_add() {
    fill "../conf/$(option template "$@")" "$(option destination "$@")"
    apply_permissions "$(option destination "$@")"
}
ynh_config_add_nginx() {
    mkdir -p "/etc/nginx/conf.d/$domain.d"
    fill ../conf/nginx.conf "/etc/nginx/conf.d/$domain.d/$app.conf"
}
ynh_config_change_url_nginx() {
    mkdir -p "/etc/nginx/conf.d/$new_domain.d"
    mv "/etc/nginx/conf.d/$old_domain.d/$app.conf" "/etc/nginx/conf.d/$new_domain.d/$app.conf"
}
ynh_config_remove_nginx() { rm "/etc/nginx/conf.d/$domain.d/$app.conf"; }
ynh_config_add_systemd() { fill ../conf/systemd.service "/etc/systemd/system/$app.service"; }
ynh_config_remove_systemd() {
    ynh_systemctl --service="$app" --action=stop
    rm "/etc/systemd/system/$app.service"
}
systemctl() { :; }
ynh_backup() { mkdir -p "./saved${1%/*}" && cp -a "$1" "./saved$1"; }
ynh_restore() {
    mkdir -p "${1%/*}" && cp -aT "./saved$1" "$1"
    [[ $1 != "$install_dir" ]] || apply_permissions "$1"
}
# Does what systemd would with the unit, but for its walls.
ynh_systemctl() {
    local service unit of
    service=$(option service "$@")
    [[ $service != nginx ]] || return 0
    of="/run/$service.pid"
    unit="/etc/systemd/system/$service.service"
    if [[ $(option action "$@") == stop ]]; then
        [[ -e $of ]] || return 0
        kill "$(< "$of")"
        while kill -0 "$(< "$of")" 2> /dev/null; do sleep 0.1; done
        rm "$of"
        return
    fi
    local -a start environment
    read -ra start < <(sed -n 's/^ExecStart=//p' "$unit")
    read -ra environment < <(sed -n 's/^Environment=//p' "$unit")
    : > "/tmp/$service.log"
    setpriv --reuid "$app" --regid "$app" --clear-groups -- \
        env -C "$(sed -n 's/^WorkingDirectory=//p' "$unit")" "${environment[@]}" "${start[@]}" \
        >> "/tmp/$service.log" 2>&1 &
    echo $! > "$of"
    until grep -q 'Coterie is running at' "/tmp/$service.log"; do
        kill -0 "$(< "$of")" || { cat "/tmp/$service.log" && return 1; }
        sleep 0.1
    done
}
