# shellcheck shell=bash
# Certificates for the servers that tests start. Sourced, never run.

# new_authority FOLDER NAME: the certificate NAME.pem, signed by itself, and its key.
new_authority() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$2" -keyout "$1/$2.key" \
    -out "$1/$2.pem"
}

# make_certificates FOLDER: server.pem and its key, for the address 127.0.0.1 and signed by ca.pem; and wrong-ca.pem, which
# signed nothing.
make_certificates() {
  new_authority "$1" ca && new_authority "$1" wrong-ca &&
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=127.0.0.1" -keyout "$1/server.key" \
      -out "$1/server.csr" &&
    openssl x509 -req -in "$1/server.csr" -CA "$1/ca.pem" -CAkey "$1/ca.key" -CAcreateserial -days 2 \
      -extfile <(echo "subjectAltName=IP:127.0.0.1") -out "$1/server.pem"
}
