from django.db import models


class Order(models.Model):
    id = models.CharField(max_length=15, primary_key=True)
    method = models.CharField(max_length=10)
    payment_id = models.CharField(max_length=64, null=True, unique=True)
    shipped = models.PositiveIntegerField(default=0)


class FinishedPayment(models.Model):
    """The payments whose goods were shipped. `finish_once` writes it."""

    payment_id = models.CharField(max_length=64, primary_key=True)


class Feed(models.Model):
    """The position of the shop in the gateway's event feed."""

    cursor = models.CharField(max_length=64, default='0')
